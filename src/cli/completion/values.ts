/** The values that are known on this machine: profiles, tools and their fields, exchanges, markets, plans, and what waits for a person. */
import { type Home, profilesIn } from "../../config/index.ts";
import { recorded } from "../../mcp/index.ts";
import { PAPER_MARKETS } from "../../sandbox/index.ts";
import { CARDS } from "../../venues/index.ts";
import { storeToLookAt } from "../composition/home-mark.ts";
import type { Candidate, Values } from "./candidates.ts";

/** States in which a command takes an id. */
const WAITING = "awaiting_approval";
const BY_STATE: Readonly<Record<string, string>> = { approve: WAITING, deny: WAITING, settle: "unknown" };
const NONE: readonly Candidate[] = [];

export function valuesIn(home: Home): Values {
  const ids = async (state: string): Promise<readonly Candidate[]> => {
    const { openInStore } = await import("../../store/index.ts");
    const open = await openInStore(await storeToLookAt(home));
    return open.filter((each) => each.state === state).map(({ id }) => ({ word: id, about: state }));
  };
  const plans = async (): Promise<readonly Candidate[]> => {
    const { plansInStore } = await import("../../store/index.ts");
    const open = await plansInStore(await storeToLookAt(home));
    return open.map(({ id, kind, state }) => ({ word: id, about: `${kind}, ${state}` }));
  };
  const byName: Readonly<Record<string, () => Promise<readonly Candidate[]>>> = {
    profile: async () => profilesIn(home).map(({ name, environment }) => ({ word: name, about: environment })),
    symbol: async () => SYMBOLS,
    symbols: async () => SYMBOLS,
    tool: tools,
    name: async () => EXCHANGES,
    plan: plans,
  };
  return {
    ofOption: async (name) => (await byName[name]?.()) ?? NONE,
    ofArgument: async (command, argument) => {
      const state = BY_STATE[command];
      if (state !== undefined) return argument.startsWith("id") ? ids(state) : NONE;
      if (argument === "name" && command !== "venues") return NONE;
      return (await byName[argument]?.()) ?? NONE;
    },
    fields: async (tool) =>
      Object.entries(await propertiesOf(tool)).map(([name, { description = "" }]) => ({
        word: `--${name}`,
        about: description,
      })),
    ofField: async (tool, field) => {
      if (field === "symbol" || field === "symbols") return SYMBOLS;
      const { enum: words = [], type } = (await propertiesOf(tool))[field] ?? {};
      return (type === "boolean" ? ["true", "false"] : words).map((word) => ({ word: String(word), about: "" }));
    },
  };
}

/** Those of the exchange that comes with hoga: others are not asked while somebody types. */
const SYMBOLS = PAPER_MARKETS.map(({ symbol, englishName }) => ({ word: symbol, about: englishName }));
const EXCHANGES = CARDS.map(({ name, title }) => ({ word: name, about: title.en }));

async function tools(): Promise<readonly Candidate[]> {
  const listed = (await recorded()).tools.map((each) => each.listed as Listed);
  return [...listed.map(({ name, title }) => ({ word: name, about: title })), { word: "list", about: "all of them" }];
}

/** As the list of tools has them. */
interface Listed {
  readonly name: string;
  readonly title: string;
  readonly inputSchema: { readonly properties?: Readonly<Record<string, Property>> };
}

interface Property {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
}

async function propertiesOf(name: string): Promise<Readonly<Record<string, Property>>> {
  const tool = (await recorded()).tools.find((each) => each.name === name);
  return (tool?.listed as Listed | undefined)?.inputSchema.properties ?? {};
}
