/** What a desk is composed of: whose directory, which profile, and who hears of trouble. */
import type { Home, Profile } from "../../config/index.ts";
import type { Terminal } from "../../desk/index.ts";
import type { ClientOptions, StreamOptions, VenueOptions } from "../../venues/index.ts";

export interface ComposeOptions {
  readonly home: Home;
  readonly profile: Omit<Profile, "webhookSecrets">;
  /** Says that this process keeps running, and takes over the paper exchange when its host ends. */
  readonly standBy: boolean;
  /** Follows the exchange's stream also where it does not stand by. */
  readonly follows?: boolean;
  /** The whole command line of this program with other words. */
  readonly commandLine: Terminal["command"];
  /** Whose days are meant. */
  readonly timeZone: string;
  readonly exchangePort?: number;
  readonly onNotice?: (message: string) => void;
  /** Called with a sentence when the paper exchange hosted here fails, and when it works again. */
  readonly onTrouble: (message: string) => void;
  /** Hears what the client and the stream tell of themselves, for figures and spans; `port` is put around a port of the store. */
  readonly watch?: Pick<ClientOptions, "onEvent"> &
    Pick<VenueOptions, "inspect"> &
    Pick<StreamOptions, "onNotice"> & { readonly port?: <Port extends object>(name: string, port: Port) => Port };
}
