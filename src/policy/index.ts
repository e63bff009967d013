/** `policy.toml` as one table: what a person can set, in which form, with which default, and how it is shown. */
export {
  DEFAULTS,
  type GivenSettings,
  type Policy,
  policyTable,
  SECTIONS,
  SETTING_NAMES,
  type ShownSettings,
  shownSettings,
  type TransferRules,
} from "./settings.ts";
