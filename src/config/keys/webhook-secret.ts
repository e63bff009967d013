/**
 * Owns where the secret of webhooks comes from: of those that a profile gets `HOGA_WEBHOOK_SECRET`, or its own setting; of those that hoga sends its setting.
 *
 * Invariants: one place, never a mixture; a value is a `Secret` from the moment it is read; no error shows it. Two secrets,
 * separated by a space, while one takes the place of the other.
 *
 * Source: settings.md#environment-variables, service.md#webhook-signature.
 */
import { z } from "zod";
import { webhookSecret } from "../../contract/index.ts";
import { ConfigError } from "../files/config-error.ts";
import type { Environment } from "../files/home.ts";
import { Secret } from "../secrets/secret.ts";

const VARIABLE = "HOGA_WEBHOOK_SECRET";

const text = z.string().min(1);

export const WEBHOOK_SETTINGS = {
  webhook_secret: text.transform(secretsIn).optional(),
  webhook_secret_env: text.optional(),
};

export type WebhookTable = z.infer<z.ZodObject<typeof WEBHOOK_SETTINGS>>;

/**
 * @param where names in errors what the settings are of.
 * @param variable that holds it too; null: none does.
 * @returns an empty list where there is no setting.
 * @throws ConfigError for a mixture, a variable that is not set, or a value that is no webhook secret.
 */
export function webhookSecretsOf(
  table: WebhookTable,
  env: Environment,
  where: string,
  variable: string | null = VARIABLE,
): readonly Secret[] {
  const { webhook_secret: inFile, webhook_secret_env: named } = table;
  const given = variable === null ? undefined : env[variable];
  const sources = [
    ...(given === undefined || given === "" ? [] : [{ shown: `the variable ${variable}`, secrets: secretsIn(given) }]),
    ...(inFile === undefined ? [] : [{ shown: "webhook_secret", secrets: inFile }]),
    ...(named === undefined || (named === variable && given) ? [] : [fromVariable(named, env, where)]),
  ];
  const [source, another] = sources;
  if (source === undefined) return [];
  if (another !== undefined)
    throw new ConfigError(
      `${where} takes its webhook secret from ${source.shown} and from ${another.shown}.`,
      "Keep one of them.",
    );
  if (!source.secrets.every((secret) => webhookSecret.safeParse(secret.reveal()).success))
    throw new ConfigError(
      `${where}: ${source.shown} is not a webhook secret.`,
      "Give it as it was shown where it was made: whsec_ and base64 behind it; two of them with a space between.",
    );
  return source.secrets;
}

function secretsIn(value: string): readonly Secret[] {
  return value.split(" ").map((part) => new Secret(part));
}

function fromVariable(variable: string, env: Environment, where: string) {
  const value = env[variable];
  if (value === undefined || value === "")
    throw new ConfigError(`${where} names the variable ${variable}, which is not set.`, `Set ${variable}.`);
  return { shown: `the variable ${variable}`, secrets: secretsIn(value) };
}
