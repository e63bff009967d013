/**
 * API keys: creates, changes and revokes them. Entry point: `administerKeys`.
 *
 * Invariants: a key belongs to a customer; an `enterprise` key always has an allow-list; the id of a revoked key is never used
 * again, so that whoever held it stays locked out. Source: service.md#key-changes, service.md#enterprise-allow-list.
 */
import { isIP } from "node:net";
import type { Applied, KeyRecord, Refusal } from "../../model/index.ts";
import { type Begin, badArgument, type CommandOf, DONE, refusal } from "../core/command.ts";
import { customer, type State } from "../state/exchange-state.ts";

type KeyCommand = CommandOf<"createKey" | "setKey" | "revokeKey">;

export function administerKeys(state: State, command: KeyCommand, begin: Begin): Applied | Refusal {
  switch (command.type) {
    case "createKey":
      return createKey(state, command.key, begin);
    case "setKey": {
      const key = state.keys.get(command.keyId);
      if (key === undefined) return unknownKey(command.keyId);
      const changed = { ...key, ...command.change };
      return checkAddresses(changed) ?? keep(state, changed, "changed", begin);
    }
    case "revokeKey": {
      const key = state.keys.get(command.keyId);
      if (key === undefined) return unknownKey(command.keyId);
      begin();
      state.keys.delete(key.keyId);
      state.revokedKeys.add(key.keyId);
      state.recorder?.key(key, "revoked");
      return DONE;
    }
    default:
      return command satisfies never;
  }
}

function createKey(state: State, key: KeyRecord, begin: Begin): Applied | Refusal {
  const { keyId, accountId } = key;
  if (state.keys.has(keyId)) return badArgument("keyId", `key ${keyId} exists`);
  if (state.revokedKeys.has(keyId)) return badArgument("keyId", `key ${keyId} was revoked; choose another id`);
  if (customer(state, accountId) === undefined) return badArgument("accountId", `no account ${accountId}`);
  return checkAddresses(key) ?? keep(state, key, "created", begin);
}

function keep(state: State, key: KeyRecord, change: "created" | "changed", begin: Begin): Applied {
  begin();
  state.keys.set(key.keyId, key);
  state.recorder?.key(key, change);
  return DONE;
}

function checkAddresses({ tier, ipAllowList }: KeyRecord): Refusal | undefined {
  if (tier === "enterprise" && ipAllowList.length === 0)
    return badArgument("ipAllowList", "an enterprise key needs at least one address on its allow-list");
  const wrong = ipAllowList.find((address) => isIP(address) === 0);
  return wrong === undefined ? undefined : badArgument("ipAllowList", `${wrong} is not an address such as 127.0.0.1`);
}

function unknownKey(keyId: string): Refusal {
  return refusal("EAPI:Invalid key", `no key ${keyId}`, "keyId");
}
