import { plainText } from '../plain-text.js';

type Json = Readonly<Record<string, unknown>>;

/** Every text of the record is external, so it is printed as one plain line. */
const text = (value: unknown): string => (typeof value === 'string' ? plainText(value) : '');
const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as readonly Json[]) : []);
const texts = (value: unknown): string => (Array.isArray(value) ? value : []).map(text).join(', ');
const count = (value: unknown): number => (typeof value === 'number' ? value : 0);
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;

const indented = (lines: readonly string[]): readonly string[] => lines.map((line) => `  ${line}`);
/** A heading with the lines below it; only a sentence if there are none. */
const section = (heading: string, lines: readonly string[], none: string): readonly string[] => [
  '',
  heading,
  ...indented(lines.length > 0 ? lines : [none]),
];
const more = (value: unknown, of: string): readonly string[] =>
  count(value) === 0 ? [] : [`${count(value)} more ${of} in the audit pack`];

/**
 * Formats the approval record of a release for an auditor: the answer of `GET /api/milestones/{id}/approval-record`. Times are in UTC, and
 * commits and digests are complete.
 */
export function approvalLines(record: Json): readonly string[] {
  const decision = isObject(record['decision']) ? record['decision'] : null;
  return [
    ...(decision === null ? ['There is no decision yet.'] : decisionLines(decision)),
    ...section('Evidence that decided', evidenceLines(record), 'None.'),
    ...section('Waivers and break-glass', list(record['overrides']).flatMap(overrideLines), 'None was requested.'),
    ...section('Evidence pull requests', list(record['pulls']).flatMap(pullLines), 'None.'),
    ...section('Deployments', list(record['deployments']).map(deploymentLine), 'None.'),
    '',
    `Read at ${text(record['readAt'])}. This is not signed: check it with the audit pack and \`shipgate verify-pack\`.`,
  ];
}

function decisionLines(decision: Json): readonly string[] {
  const { approvals, stages } = decision;
  return [
    `The decision ${text(decision['id'])} ${decision['open'] === true ? 'opened the gate' : 'kept the gate closed'}`,
    ...indented([
      `at                      ${text(decision['at'])}`,
      `stage                   ${text(decision['stage'])}`,
      `commit                  ${text(decision['candidateSha']) || 'none'}`,
      `SHA-256 of the policy   ${text(decision['policyDigest']) || 'none'}`,
      `SHA-256 of the evidence ${text(decision['setDigest']) || 'none'}`,
      `version of the rules    ${text(decision['rules'])}`,
    ]),
    ...list(decision['reasons']).map(({ actor, detail }) => `  unmet  ${text(actor)}: ${text(detail)}`),
    ...(isObject(approvals)
      ? section(approvalsHeading(approvals), list(approvals['reviews']).map(reviewLine), 'No review was known.')
      : []),
    ...(Array.isArray(stages)
      ? section(
          'Requirements that were met',
          list(stages).flatMap(({ stage, met }) => list(met).map(({ detail }) => `${text(stage)}: ${text(detail)}`)),
          'None.',
        )
      : ['', explainMissing(decision)]),
  ];
}

/** Says why the service does not show who had approved and what was met. */
const explainMissing = ({ rulesChanged, rules }: Json): string =>
  rulesChanged === true
    ? `The rules have changed since. \`shipgate verify-pack\` of version ${text(rules)} shows who had approved and what was met.`
    : 'Warning: the service cannot derive this decision again from its stored inputs. Check the audit pack with `shipgate verify-pack`.';

const approvalsHeading = ({ given, required }: Json): string =>
  `Approvals: ${count(given)}${typeof required === 'number' ? ` of ${required} required` : ''}`;

const reviewLine = ({ login, state, commitSha, submittedAt, counts, reason }: Json): string =>
  [
    `${text(login)} ${text(state).replaceAll('_', ' ')} ${text(commitSha) || 'an unknown commit'} at ${text(submittedAt)}`,
    counts === true ? 'counts' : `does not count: ${text(reason)}`,
  ].join('; ');

function evidenceLines({ evidence, moreEvidence }: Json): readonly string[] {
  return [
    ...list(evidence).flatMap((upload) => [
      `${texts(upload['types'])} of ${text(upload['pipeline'])} (${text(upload['environment'])}) for ${text(upload['commitSha'])} at ${text(upload['createdAt'])}`,
      ...indented([
        ...list(upload['files']).map(({ name, sha256 }) => `${text(sha256)}  ${text(name)}`),
        ...more(upload['moreFiles'], 'files'),
      ]),
    ]),
    ...more(moreEvidence, 'uploads'),
  ];
}

const overrideLines = (override: Json): readonly string[] => [
  `${override['kind'] === 'waiver' ? 'Waiver' : 'Break-glass'} for ${text(override['sha'])}, ${override['used'] === true ? 'used' : 'not used'} by the decision: ${text(override['reason'])}`,
  ...indented([
    `requested by ${text(override['requestedBy'])} at ${text(override['requestedAt'])}`,
    override['confirmedAt'] === null
      ? 'never confirmed'
      : `confirmed by ${text(override['confirmedBy'])} at ${text(override['confirmedAt'])}`,
    override['withdrawnAt'] === null
      ? `ends at ${text(override['expiresAt'])} at the latest`
      : `withdrawn at ${text(override['withdrawnAt'])}`,
    ...(Array.isArray(override['details']) ? override['details'] : []).map((detail) => `covers: ${text(detail)}`),
  ]),
];

const pullLines = ({ number, url, openedAt, ofDecision, documents }: Json): readonly string[] => [
  `#${count(number)} of ${text(openedAt)}, ${ofDecision === true ? 'with the evidence of the decision' : 'with other evidence'}: ${text(url)}`,
  ...indented(
    list(documents).map(
      ({ path, sha256, signature }) =>
        `${text(sha256)}  ${text(path)}${isObject(signature) ? `, signed by the key ${text(signature['keyId'])}` : ''}`,
    ),
  ),
];

const deploymentLine = ({ kind, environment, deployedAt, deployedBy, candidateSha, approvers }: Json): string =>
  [
    `${text(kind)} to ${text(environment)} at ${text(deployedAt)}${deployedBy === null ? '' : ` by ${text(deployedBy)}`}: ${text(candidateSha)}`,
    ...(texts(approvers) === '' ? [] : [`approved by ${texts(approvers)}`]),
  ].join('; ');
