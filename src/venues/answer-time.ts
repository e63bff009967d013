/** The time of an exchange that has no clock of its own: the date of an answer, in whole seconds. */
import { failed, localFault, ok, type Result, type ServerTime } from "../contract/index.ts";
import type { ReadOptions, RequestSender, VenueCall } from "../transport/index.ts";

/** @param call a light one, whose answer is of no matter */
export async function answerTime(
  sender: Pick<RequestSender, "read">,
  call: VenueCall<unknown, false>,
  options: ReadOptions | undefined,
): Promise<Result<ServerTime>> {
  let date: unknown;
  const answer = await sender.read(
    {
      ...call,
      answer: (outcome, nowMs) => {
        date = outcome.kind === "answer" ? outcome.headers["date"] : undefined;
        return call.answer(outcome, nowMs);
      },
    },
    options,
  );
  if (!answer.ok) return answer;
  const unix_ms = typeof date === "string" ? Date.parse(date) : Number.NaN;
  if (!Number.isFinite(unix_ms)) return failed(localFault("ELocal:Unreadable answer"));
  return ok({ unix_ms, iso: new Date(unix_ms).toISOString() });
}
