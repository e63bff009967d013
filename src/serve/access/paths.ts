/** Owns the paths that are known before anybody is let in. */

/** Open to all, from the moment on that the server listens. */
export const PROBES: readonly string[] = ["/healthz", "/readyz"];

export const SIGN_IN_PATH = "/console/sign-in";
/** Takes the browser where the provider sends the browser back to. */
export const RETURN_PATH = `${SIGN_IN_PATH}/callback`;
