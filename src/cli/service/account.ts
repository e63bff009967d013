/** The account that `hoga service install` makes for hoga, and how a person runs a command as it. */

/** Names the account, its unit and its directory. */
export const ACCOUNT = "hoga";
/** Its home: a command that a person runs as this account finds the data directory of the service there, without any variable. */
export const ACCOUNT_HOME = `/var/lib/${ACCOUNT}`;
/** Before a command. */
export const AS_ACCOUNT = `sudo -u ${ACCOUNT} -H `;
