/** `policy.toml` as one table: what a person can set, in which form, with which default, and how it is shown. */
export type * from "./settings.ts";
export {
  defaultsIn,
  nameInUnit,
  planSettingName,
  policyTable,
  sectionsIn,
  settingName,
  settingNames,
  shownPlanSettings,
  shownSetting,
  shownSettings,
  sumSettingName,
} from "./settings.ts";
