/**
 * Says where `policy.toml` lies, for whoever owns the desk: the assistant on its own machine, the terminal and the owner's token. Everybody
 * else reads that it is the desk's, as a path tells of the machine and of the account that it runs under.
 */
import { type Desk, POLICY_FILE } from "../../desk/index.ts";

/** `caller` is absent where nobody calls over HTTP. */
interface Reader {
  readonly desk: Pick<Desk, "policyPath">;
  readonly caller?: { readonly isOwner?: boolean };
}

/** @returns the same with the path in place of `POLICY_FILE`, for whoever may know it */
export function withPolicyPath<T>(value: T, { desk, caller }: Reader): T {
  const path = caller === undefined || caller.isOwner === true ? desk.policyPath : undefined;
  return path === undefined ? value : (replaced(value, path) as T);
}

function replaced(value: unknown, path: string): unknown {
  if (typeof value === "string") return value.includes(POLICY_FILE) ? value.replaceAll(POLICY_FILE, () => path) : value;
  if (Array.isArray(value)) return value.map((each) => replaced(each, path));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, replaced(each, path)]));
}
