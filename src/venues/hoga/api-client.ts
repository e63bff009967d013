/** Holds what the clients of all APIs have in common: their identity, their two ways to send a call, and how they are closed and shown. */
import { inspect } from "node:util";
import type { Result } from "../../contract/index.ts";
import type { QueryOptions, RequestSender, WriteOptions } from "../../transport/index.ts";
import { type ClientOptions, requestSenderFor, type ServiceAbsence, TIMEOUTS } from "./options.ts";
import type { Call } from "./request/call.ts";
import { venueCall } from "./request/wire-request.ts";

export abstract class ApiClient {
  readonly environment: "sandbox" | "live";
  /** Name of the key that signs, and of its lane; never the key itself. Undefined for public data only. */
  readonly keyId: string | undefined;
  /** Says how "not found" can prove that nothing is there. Source: service.md#nonce-fence. */
  readonly absence: ServiceAbsence;
  /** Whole time a write may take, connect to last byte, in milliseconds. */
  readonly writeTimeoutMs: number;
  readonly #sender: RequestSender;

  /**
   * @param clockCall reads the venue's clock
   * @throws TypeError for a base URL, key or secret that cannot be right; the error does not show them
   */
  protected constructor(options: ClientOptions, clockCall: Call<{ readonly unix_ms: number }>) {
    this.environment = options.environment;
    this.absence = options.absence ?? { by: "nonce" };
    this.writeTimeoutMs = options.timeouts?.totalMs ?? TIMEOUTS.totalMs;
    this.#sender = requestSenderFor(options, venueCall(clockCall));
    this.keyId = this.#sender.keyId;
  }

  /** Retries until it succeeds or a fault is final. @param matches as in `MatchedCall` */
  protected async read<T>(
    call: Result<Call<T, false>>,
    options?: QueryOptions,
    matches?: (answer: T) => boolean,
  ): Promise<Result<T>> {
    return call.ok ? this.#sender.read(venueCall({ ...call.value, matches }), options) : call;
  }

  /** Sends the call once, or not at all. @param matches as in `MatchedCall` */
  protected async write<T>(
    call: Result<Call<T, true>>,
    options?: WriteOptions,
    matches?: (answer: T) => boolean,
  ): Promise<Result<T>> {
    return call.ok ? this.#sender.write(venueCall({ ...call.value, matches }), options) : call;
  }

  /** Server clock minus ours in milliseconds, as last measured; undefined before the first answer. */
  clockOffsetMs(): number | undefined {
    return this.#sender.offset.currentMs;
  }

  /** Names an exchange that says on its answers that it is a sandbox. Source: service.md#sandbox-header. */
  get sandboxId(): string | undefined {
    return this.#sender.sandboxId;
  }

  /** Ends every wait. Requests in flight are still answered. */
  async close(): Promise<void> {
    await this.#sender.close();
  }

  toJSON(): object {
    return { environment: this.environment, absence: this.absence, writeTimeoutMs: this.writeTimeoutMs };
  }

  [inspect.custom](): string {
    return `${this.constructor.name} ${inspect(this.toJSON())}`;
  }
}
