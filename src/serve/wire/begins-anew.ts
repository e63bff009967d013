/**
 * The header by which a client says that it begins anew by itself where its session is gone: its session is then not opened anew, which would
 * bring back less. Apart, as `hoga connect` and the server load nothing else together.
 *
 * Source: decision 0073.
 */
export const BEGINS_ANEW = "hoga-begins-anew";
