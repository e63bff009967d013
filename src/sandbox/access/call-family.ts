/**
 * A family of signed and public calls: what the Open API, the Trading API, the alias endpoints and the drafts have in common
 * as families. Entry point: `callFamily`.
 *
 * Invariant: the reply to a call that changed the exchange leaves after the change is on disk, and any other after the nonce it used,
 * and all that it may show, is with the operating system; if it cannot be written, the caller is told of an outage instead.
 */
import { type Family, headerOf, type Reply, type RequestHead } from "../http/family.ts";
import { type Answer, type Fault, unavailable } from "../http/outcome.ts";
import type { Service } from "../service/service.ts";
import type { CallResult } from "./admission.ts";
import { checkAddress } from "./authentication.ts";

/** @typeParam Refused a fault in the form of the family. */
interface CallFamilyParts<Refused> {
  readonly service: Service;
  readonly prefix: string;
  readonly keyHeader: string;
  /** Why the family refuses every request. */
  readonly off?: Fault | undefined;
  readonly answer: (head: RequestHead, body: Buffer) => CallResult<Refused>;
  /** A fault in the form of the family. */
  readonly faultOf: (refused: Fault) => Refused;
  readonly replyOf: (result: CallResult<Refused>) => Reply;
  /** Which answers wait for the disk, where they are not just those that changed the exchange. */
  readonly waitsForDisk?: (answer: Answer) => boolean;
}

export function callFamily<Refused extends { readonly ok: false }>(parts: CallFamilyParts<Refused>): Family {
  const { service, prefix, off, faultOf, replyOf, waitsForDisk = ({ changed }) => changed } = parts;
  const keyHeader = parts.keyHeader.toLowerCase();
  const refuse = (refused: Fault): Reply => replyOf({ outcome: faultOf(refused) });
  return {
    serves: (path) => path.startsWith(prefix),
    admit(head) {
      const refused = checkAddress(service, headerOf(head, keyHeader), head.address) ?? off;
      return refused && refuse(refused);
    },
    answer(head, body) {
      const result = parts.answer(head, body);
      const unsaved = (): Reply => replyOf({ ...result, outcome: faultOf(unavailable(503)) });
      if (result.outcome.ok && waitsForDisk(result.outcome)) return { reply: replyOf(result), unsaved };
      return { reply: service.journaled.flush() ? replyOf(result) : unsaved() };
    },
    refuse,
  };
}
