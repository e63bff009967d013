/**
 * Owns where the store is when it is not in the data directory: `HOGA_STORE_URL`.
 *
 * Invariant: it does not print, and the password in it is known to the scrubber from the moment that it was read.
 *
 * Source: settings.md#store, architecture.md#rule-9.
 */
import { ConfigError } from "../files/config-error.ts";
import { HIDDEN, scrubber } from "../secrets/scrubber.ts";

export class StoreUrl {
  readonly #text: string;

  private constructor(text: string) {
    this.#text = text;
  }

  /** @returns undefined where nothing is set @throws ConfigError for what is no address of a PostgreSQL database */
  static of(text: string | undefined): StoreUrl | undefined {
    if (text === undefined || text === "") return undefined;
    if (/^postgres(ql)?:\/\/./.test(text) && URL.canParse(text)) {
      const { password, searchParams } = new URL(text);
      for (const each of [password, decoded(password), searchParams.get("password") ?? ""]) scrubber.add(each);
      return new StoreUrl(text);
    }
    for (const each of passwordsIn(text)) scrubber.add(each);
    throw new ConfigError(
      "HOGA_STORE_URL has a value that cannot be used.",
      "Set it to postgres://user:password@host:5432/database, or unset it: everything is then kept in SQLite, in the data directory.",
    );
  }

  /** For the driver alone. */
  reveal(): string {
    return this.#text;
  }

  /** For a command that a person copies: whoever runs it has the password, or `PGPASSWORD`. */
  withoutPassword(): string {
    const url = new URL(this.#text);
    url.password = "";
    url.searchParams.delete("password");
    return url.href;
  }

  /** For another program, which does not know ours. */
  withoutParameters(): string {
    const url = new URL(this.withoutPassword());
    url.searchParams.delete("schema");
    return url.href;
  }

  toString(): string {
    return HIDDEN;
  }
}

/**
 * Finds what may be a password in something that is no URL: not the scheme and what follows the @, which messages have to be able to say.
 */
function passwordsIn(text: string): readonly string[] {
  const rest = text.replace(/^\w*:\/*/, "");
  const at = rest.lastIndexOf("@");
  if (at < 0) return [rest];
  const user = rest.slice(0, at);
  return [
    user.slice(user.indexOf(":") + 1),
    ...[...rest.matchAll(/[?&]password=([^&]+)/g)].map(([, value = ""]) => value),
  ];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}
