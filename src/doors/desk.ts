/** The door `hoga/desk`: the desk with its policy, approvals and reconciliation, and the store that it keeps its facts in. */
export { type OpenDeskOptions, type OpenedDesk, openDesk } from "../cli/index.ts";
export type * from "../desk/index.ts";
export { createDesk, createIds } from "../desk/index.ts";
export { openStore, type Store, StoreError, type StoreErrorCode } from "../store/index.ts";
