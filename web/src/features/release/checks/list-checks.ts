import type { Schema } from '../../../api/client.js';

type Required = Schema<'RequiredCheck'>;
type Reported = Schema<'ReportedCheck'>;

/** A check that has reported, or that the policy requires, or both. */
export interface Check {
  readonly name: string;
  readonly app: string | null;
  readonly required: Required | null;
  /** Null if it has not reported. */
  readonly reported: Reported | null;
}

const isAnswer = ({ name, app }: Required, reported: Reported): boolean =>
  reported.name === name && (app === null || app === reported.app);

/** Lists the reported and the required checks: the required ones first, also those that have not reported. */
export function listChecks(reported: readonly Reported[], rules: Schema<'PolicyRules'> | null): readonly Check[] {
  const required = [...(rules?.development.requiredChecks ?? []), ...(rules?.testing.requiredChecks ?? [])].filter(
    ({ name, app }, at, all) => all.findIndex((other) => other.name === name && other.app === app) === at,
  );
  const toCheck = (report: Reported): Check => ({
    name: report.name,
    app: report.app,
    required: required.find((one) => isAnswer(one, report)) ?? null,
    reported: report,
  });
  const checks = reported.map(toCheck);
  const missing = required
    .filter((one) => !reported.some((report) => isAnswer(one, report)))
    .map((one) => ({ name: one.name, app: one.app, required: one, reported: null }));
  return [
    ...missing,
    ...checks.filter((check) => check.required !== null),
    ...checks.filter((check) => check.required === null),
  ];
}
