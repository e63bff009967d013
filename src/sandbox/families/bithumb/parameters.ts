/** Reads the parameters of a call; those of a body can be lists of ids. */
import { ParameterReader, type Parameters, type SentParameters } from "../../venue-kit/parameters.ts";
import { type BithumbError, badValue, refuse } from "./outcome.ts";

export type BithumbParameters = Parameters<BithumbError>;
export type BithumbSent = SentParameters<BithumbError>;

export const PARAMETERS = new ParameterReader<BithumbError>(
  { badValue, badQuery: () => refuse("invalid_parameter"), badBody: () => refuse("invalid_parameter") },
  { takesLists: true },
);
