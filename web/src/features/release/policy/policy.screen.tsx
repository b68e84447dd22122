import { Fragment, type ReactNode } from 'react';
import type { Schema } from '../../../api/client.js';
import { PartStatus } from '../../../release-ui/part-status.js';
import { StatusLabel, type StatusKind } from '../../../release-ui/status-label.js';
import { CopyButton } from '../../../ui/copy-button.js';
import { formatDay, formatDuration } from '../../../ui/format-time.js';
import { withKeys } from '../../../ui/list-keys.js';
import { Facts } from '../../../ui/screen.js';
import { EmptyState } from '../../../ui/states.js';
import { common } from '../../../texts/en/common.js';
import { policyText as partText } from '../../../texts/en/release-parts.js';
import { text } from '../../../texts/en/release.js';
import { useRelease } from '../release.query.js';
import classes from './policy.module.css';

type Source = Schema<'RequiredCheck'>['source'];

const VARIANTS = { valid: 'good', invalid: 'failed', missing: 'waiting' } as const satisfies Record<string, StatusKind>;

/** The rules that apply to the release, with the digest by which a decision names them. */
export function PolicyScreen() {
  const { policy } = useRelease();
  const { state, digest, rules, organizationKeys, status } = policy;
  return (
    <section aria-labelledby="part">
      <h2 id="part">{text.tabs.policy}</h2>
      <PartStatus part={policy} />
      <Facts
        entries={[
          [
            partText.file,
            state === null ? (
              common.unknown
            ) : (
              <StatusLabel key="state" kind={status === 'current' ? VARIANTS[state] : 'stale'}>
                {partText.states[state]}
              </StatusLabel>
            ),
          ],
          [
            partText.digest,
            digest === null ? null : (
              <span key="digest">
                <code>{digest}</code> <CopyButton text={digest} label={partText.copyDigest} />
              </span>
            ),
          ],
        ]}
      />
      {rules === null ? (
        <EmptyState title={partText.none} />
      ) : (
        <Rules rules={rules} organizationKeys={organizationKeys ?? []} />
      )}
    </section>
  );
}

/** The rules in the order of the stages. */
function Rules({
  rules,
  organizationKeys,
}: {
  readonly rules: Schema<'PolicyRules'>;
  readonly organizationKeys: readonly string[];
}) {
  const { planning, development, testing, evidencing, deployment, qualityGates } = rules;
  const { requiredReviewers: reviewers } = evidencing;
  const toLabel = (isRequired: boolean, source?: Source): string =>
    isRequired ? partText.withSource(partText.required, source) : partText.notRequired;
  /** Names the source of a key with one value if the organization states it. */
  const single = (key: string, value: string): string =>
    partText.withSource(value, organizationKeys.includes(key) ? 'organization' : undefined);
  /** Adds how long a candidate must stay in the environment. */
  const withSoak = (label: string, seconds?: number): string =>
    seconds === undefined ? label : partText.deployed(label, formatDuration(seconds));
  return (
    <div className={classes['groups']}>
      <Group title={common.stages.PLANNING}>
        {[
          [partText.requireIssues, toLabel(planning.requireIssues, planning.sources?.requireIssues)],
          [partText.requireOwners, toLabel(planning.requireIssuesAssigned, planning.sources?.requireIssuesAssigned)],
        ]}
      </Group>
      <Group title={common.stages.DEVELOPMENT}>
        {[
          [partText.branch, single('stages.development.branch', development.branch ?? partText.defaultBranch)],
          [partText.requireClosed, rows(development.closedIssues.map(partText.closedIssues), partText.notRequired)],
          [partText.checks, list(development.requiredChecks.map(partText.check))],
          [
            partText.deployTarget,
            development.deployTarget &&
              withSoak(single('stages.development.deploy_target', development.deployTarget), development.soak),
          ],
        ]}
      </Group>
      <Group title={common.stages.TESTING}>
        {[
          [
            partText.branches,
            <code key="branches">{single('stages.testing.branch_pattern', testing.branchPattern)}</code>,
          ],
          [partText.checks, list(testing.requiredChecks.map(partText.check))],
          [partText.evidence, list(evidencing.requiredEvidence.map(partText.requiredEvidence))],
          [
            partText.artifacts,
            testing.requiredArtifacts.length === 0
              ? null
              : rows(testing.requiredArtifacts.map(partText.artifact), common.none),
          ],
          [partText.coverage, list(partText.coverageLimits(qualityGates.coverage))],
          [partText.sast, list(partText.severityLimits(qualityGates.sastScan))],
          [partText.security, list(partText.severityLimits(qualityGates.security))],
          [
            partText.deployTarget,
            testing.deployTarget &&
              withSoak(single('stages.testing.deploy_target', testing.deployTarget), testing.soak),
          ],
        ]}
      </Group>
      <Group title={common.stages.EVIDENCING}>
        {[
          [partText.approval, toLabel(deployment.requiresEvidenceApproval)],
          [partText.approvals, rows(reviewers.map(partText.reviewers), common.none)],
        ]}
      </Group>
      <Group title={common.stages.DEPLOYMENT}>
        {[
          [partText.target, single('stages.deployment.target', deployment.target)],
          [partText.promotion, single('stages.deployment.promotion', partText.promotions[deployment.promotion])],
        ]}
      </Group>
      <Group title={partText.general}>
        {[
          [partText.name, rules.name],
          [partText.naming, <code key="naming">{single('release_naming.format', rules.releaseNaming)}</code>],
          [partText.hotfixes, <code key="hotfixes">{rules.hotfixBranchPatterns.join(partText.and)}</code>],
          [partText.events, list(rules.evidenceEvents)],
        ]}
      </Group>
      <Freezes freezes={rules.freezes} />
    </div>
  );
}

/** Shows each requirement in its own line, because its text may have commas. */
const rows = (values: readonly string[], none: string): ReactNode =>
  values.length === 0
    ? none
    : values.map((value) => (
        <Fragment key={value}>
          {value}
          <br />
        </Fragment>
      ));

const list = (values: readonly string[]): string => (values.length === 0 ? common.none : values.join(', '));

function Group({
  title,
  children,
}: {
  readonly title: string;
  readonly children: readonly (readonly [string, ReactNode])[];
}) {
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <Facts entries={children} />
    </section>
  );
}

function Freezes({ freezes }: { readonly freezes: readonly Schema<'PolicyFreeze'>[] }) {
  return (
    <section aria-label={partText.freezes}>
      <h3>{partText.freezes}</h3>
      {freezes.length === 0 ? (
        <p>{partText.noFreezes}</p>
      ) : (
        <>
          <dl className={classes['freezes']}>
            {withKeys(freezes, ({ from, to }) => `${from} ${to}`).map(([key, { from, to, reason, source }]) => (
              <Fragment key={key}>
                <dt>{partText.freeze(formatDay(Date.parse(from)), formatDay(Date.parse(to)))}</dt>
                <dd>{partText.withSource(reason, source)}</dd>
              </Fragment>
            ))}
          </dl>
          <p className="quiet">{partText.days}</p>
        </>
      )}
    </section>
  );
}
