/**
 * Owns a desk that tells what became of every order that leaves through it.
 *
 * Invariant: the desk's answers pass unchanged, and no listener can change what they are.
 */
import type { Desk, WriteReport } from "../desk/index.ts";

export function watchedDesk(desk: Desk, tell: (report: WriteReport) => void): Desk {
  const told = async (writing: Promise<WriteReport>): Promise<WriteReport> => {
    const report = await writing;
    tell(report);
    return report;
  };
  return {
    ...desk,
    place: (...order) => told(desk.place(...order)),
    replace: (...change) => told(desk.replace(...change)),
    approve: (...yes) => told(desk.approve(...yes)),
    answerApproval: (...answer) => told(desk.answerApproval(...answer)),
  };
}
