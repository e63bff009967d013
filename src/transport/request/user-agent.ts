/** Says of every request which program it is of. */
import manifest from "../../../package.json" with { type: "json" };

export const USER_AGENT = `hoga/${manifest.version}`;
