/** Reads the parameters of a call; a client that hashes what it encodes is understood only where encoding changes nothing, as SOURCES.md says. */
import { ParameterReader, type Parameters, type SentParameters } from "../../venue-kit/parameters.ts";
import { badValue, refuse, type UpbitError } from "./outcome.ts";

export type UpbitParameters = Parameters<UpbitError>;
export type UpbitSent = SentParameters<UpbitError>;

export const PARAMETERS = new ParameterReader<UpbitError>({
  badValue,
  badQuery: () => refuse("invalid_parameter"),
  badBody: () => refuse("validation_error"),
});
