import { Fragment, type ReactNode } from 'react';
import type { Schema } from '../../../api/client.js';
import { PartStatus } from '../../../release-ui/part-status.js';
import { StatusLabel, type StatusLook } from '../../../release-ui/status-label.js';
import { CopyButton } from '../../../ui/copy-button.js';
import { formatDay } from '../../../ui/format-time.js';
import { Facts } from '../../../ui/screen.js';
import { EmptyState } from '../../../ui/states.js';
import { common } from '../../../words/en/common.js';
import { policyText as words } from '../../../words/en/release-parts.js';
import { text } from '../../../words/en/release.js';
import { useRelease } from '../release.query.js';
import classes from './policy.module.css';

const LOOKS = { valid: 'good', invalid: 'failed', missing: 'waiting' } as const satisfies Record<string, StatusLook>;

/** The rules that apply to the release, with the digest by which a decision names them. */
export function PolicyScreen() {
  const { policy } = useRelease();
  const { state, digest, rules, status } = policy;
  return (
    <section aria-labelledby="part">
      <h2 id="part">{text.tabs.policy}</h2>
      <PartStatus part={policy} />
      <Facts
        entries={[
          [
            words.file,
            state === null ? (
              common.unknown
            ) : (
              <StatusLabel key="state" look={status === 'current' ? LOOKS[state] : 'stale'}>
                {words.states[state]}
              </StatusLabel>
            ),
          ],
          [
            words.digest,
            digest === null ? null : (
              <span key="digest">
                <code>{digest}</code> <CopyButton text={digest} label={words.copyDigest} />
              </span>
            ),
          ],
        ]}
      />
      {rules === null ? <EmptyState title={words.none} /> : <Rules rules={rules} />}
    </section>
  );
}

/** The rules in the order of the stages. */
function Rules({ rules }: { readonly rules: Schema<'PolicyRules'> }) {
  const { planning, development, testing, evidencing, deployment, qualityGates } = rules;
  const { requiredReviewers: reviewers } = evidencing;
  const toWord = (isRequired: boolean): string => (isRequired ? words.required : words.notRequired);
  return (
    <div className={classes['groups']}>
      <Group title={common.stages.PLANNING}>
        {[
          [words.requireIssues, toWord(planning.requireIssues)],
          [words.requireOwners, toWord(planning.requireIssuesAssigned)],
        ]}
      </Group>
      <Group title={common.stages.DEVELOPMENT}>
        {[
          [words.branch, development.branch ?? words.defaultBranch],
          [words.requireClosed, toWord(development.requireIssuesClosed)],
          [words.exempt, list(development.exemptLabels)],
          [words.checks, list(development.requiredChecks.map(words.check))],
          [words.deployTarget, development.deployTarget],
        ]}
      </Group>
      <Group title={common.stages.TESTING}>
        {[
          [words.branches, <code key="branches">{testing.branchPattern}</code>],
          [words.checks, list(testing.requiredChecks.map(words.check))],
          [words.evidence, list(evidencing.requiredEvidence.map(words.requiredEvidence))],
          [words.coverage, list(words.coverageLimits(qualityGates.coverage))],
          [words.sast, list(words.severityLimits(qualityGates.sastScan))],
          [words.security, list(words.severityLimits(qualityGates.security))],
          [words.deployTarget, testing.deployTarget],
        ]}
      </Group>
      <Group title={common.stages.EVIDENCING}>
        {[
          [words.approval, toWord(deployment.requiresEvidenceApproval)],
          [words.approvals, reviewers.minApprovals],
          [words.teams, reviewers.teams.length === 0 ? words.everyWriter : list(reviewers.teams)],
          [words.authors, reviewers.excludeReleaseAuthors ? words.authorsExcluded : words.authorsAllowed],
        ]}
      </Group>
      <Group title={common.stages.DEPLOYMENT}>
        {[
          [words.target, deployment.target],
          [words.promotion, words.promotions[deployment.promotion]],
        ]}
      </Group>
      <Group title={words.general}>
        {[
          [words.name, rules.name],
          [words.naming, <code key="naming">{rules.releaseNaming}</code>],
          [words.hotfixes, <code key="hotfixes">{rules.hotfixBranchPattern}</code>],
          [words.events, list(rules.evidenceEvents)],
        ]}
      </Group>
      <Freezes freezes={rules.freezes} />
    </div>
  );
}

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
    <section aria-label={words.freezes}>
      <h3>{words.freezes}</h3>
      {freezes.length === 0 ? (
        <p>{words.noFreezes}</p>
      ) : (
        <>
          <dl className={classes['freezes']}>
            {freezes.map(({ from, to, reason }) => (
              <Fragment key={`${from} ${to} ${reason}`}>
                <dt>{words.freeze(formatDay(Date.parse(from)), formatDay(Date.parse(to)))}</dt>
                <dd>{reason}</dd>
              </Fragment>
            ))}
          </dl>
          <p className="quiet">{words.days}</p>
        </>
      )}
    </section>
  );
}
