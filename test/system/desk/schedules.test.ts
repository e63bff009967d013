/** All the schedules, of which `npm test` runs the first. */
process.env["HOGA_SCHEDULES"] ??= "60";
await import("../../desk/schedules.test.ts");
