/** Where the store of a data directory is, for whoever looks at it and leaves it as it is. */
import { type Home, StoreUrl } from "../../config/index.ts";
import { defined } from "../../contract/index.ts";
import type { StoreLocation } from "../../store/index.ts";

export async function storeToLookAt(home: Home): Promise<Exclude<StoreLocation, { readonly memory: true }>> {
  const server = StoreUrl.of(home.storeUrl());
  if (server === undefined) return { path: home.database };
  const { haltPathOf } = await import("../../store/index.ts");
  return {
    ...{ url: server.reveal(), haltPath: haltPathOf(home.database) },
    ...defined({ tenant: home.tenant?.name }),
  };
}
