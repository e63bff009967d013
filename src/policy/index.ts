/** `policy.toml` as one table: what a person can set, in which form, with which default, and how it is shown. */
export {
  defaultsIn,
  type GivenSettings,
  nameInUnit,
  type Policy,
  policyTable,
  type SettingStem,
  type ShownSettings,
  type SumName,
  sectionsIn,
  settingName,
  settingNames,
  shownSettings,
  sumSettingName,
  type TransferRules,
} from "./settings.ts";
