/** What a program may use of how the commands put the parts together. */
export { type OpenDeskOptions, type OpenedDesk, openDesk } from "./composition/open-desk.ts";
