import { useQuery } from '@tanstack/react-query';
import type { Schema } from '../../api/client.js';
import { OutcomeLabel, useReadinessStatus } from '../../release-ui/outcome-label.js';
import { StatusLabel } from '../../release-ui/status-label.js';
import { CopyButton } from '../../ui/copy-button.js';
import { formatDay } from '../../ui/format-time.js';
import { ExternalLink, Sha } from '../../ui/links.js';
import { QueryError } from '../../ui/query-region.js';
import { Moment, RelativeTime } from '../../ui/relative-time.js';
import { Facts } from '../../ui/screen.js';
import { common } from '../../texts/en/common.js';
import { text } from '../../texts/en/release.js';
import { describeAnswer } from './describe-answer.js';
import { deploymentQuery, useRelease, type LastRead } from './release.query.js';
import classes from './release.module.css';

/** Whether the release may be deployed now, as a sentence, with the facts that the sentence is about. */
export function Answer({ lastRead }: { readonly lastRead: LastRead }) {
  const details = useRelease();
  const { release } = details;
  const status = useReadinessStatus(release.readiness);
  const { kind, sentence } = describeAnswer(details, status);
  return (
    <section aria-labelledby="answer" className={`${classes['answer']} ${classes[kind] ?? ''}`}>
      <h2 id="answer" className="sr-only">
        {text.answer.title}
      </h2>
      <p className={classes['sentence']}>
        {release.outcome === null ? (
          <StatusLabel kind={kind}>
            {release.cancelledAt === null ? common.stages[release.stage] : common.cancelled}
          </StatusLabel>
        ) : (
          <OutcomeLabel outcome={release.outcome} readiness={release.readiness} />
        )}
        <strong aria-live="polite">{sentence}</strong>
      </p>
      {release.deployedAt === null ? <CurrentFacts lastRead={lastRead} /> : <ShippedFacts />}
    </section>
  );
}

function CurrentFacts({ lastRead }: { readonly lastRead: LastRead }) {
  const { release, policy } = useRelease();
  const { dueOn, cancelledAt, readiness } = release;
  const { facts } = text;
  return (
    <Facts
      entries={[
        [facts.candidate, <Candidate key="candidate" release={release} />],
        [facts.target, policy.rules?.deployment.target ?? null],
        [facts.due, dueOn === null ? null : <Due key="due" day={dueOn} />],
        [facts.cancelledAt, cancelledAt === null ? null : <RelativeTime key="cancelled" date={cancelledAt} />],
        ...links(release),
        [
          facts.verification,
          <Verification key="verification" lastRead={lastRead} evaluatedAt={readiness.observedAt} />,
        ],
        [
          facts.validUntil,
          readiness.validUntil === null ? null : <ValidUntil key="until" date={readiness.validUntil} />,
        ],
      ]}
    />
  );
}

/** The history record of a shipped release. */
function ShippedFacts() {
  const { release } = useRelease();
  const query = useQuery(deploymentQuery(release));
  const { data: record, isPending } = query;
  const { facts } = text;
  // Keeps the place of a fact that is being loaded.
  const show = (value: string | null | undefined): string | null => (isPending ? common.loading : (value ?? null));
  return (
    <>
      <QueryError query={query} failed={text.recordFailed} />
      <Facts
        entries={[
          [facts.deployedAt, release.deployedAt === null ? null : <RelativeTime key="at" date={release.deployedAt} />],
          [facts.candidate, <Candidate key="candidate" release={release} />],
          [facts.environment, show(record?.environment)],
          [facts.kind, show(record && text.kinds[record.kind])],
          [facts.deployedBy, show(record?.deployedBy)],
          [facts.approvers, show(record?.approvers.length ? record.approvers.join(', ') : null)],
          [facts.score, show(record?.score?.toFixed(1))],
          [facts.note, record?.note ?? null],
          ...links(release),
          [facts.verification, text.asOfDeployment],
        ]}
      />
    </>
  );
}

const links = ({ title, milestoneUrl, evidencePrNumber, evidencePrUrl }: Schema<'Release'>) =>
  [
    [
      text.facts.milestone,
      <ExternalLink key="milestone" href={milestoneUrl}>
        {title}
      </ExternalLink>,
    ],
    [
      text.facts.evidencePull,
      evidencePrNumber === null ? null : (
        <ExternalLink key="pull" href={evidencePrUrl}>
          {text.pull(evidencePrNumber)}
        </ExternalLink>
      ),
    ],
  ] as const;

function Candidate({ release: { candidateSha, candidateUrl } }: { readonly release: Schema<'Release'> }) {
  if (candidateSha === null) return <span className="quiet">{text.noCandidate}</span>;
  return (
    <span className={classes['candidate']}>
      <Sha sha={candidateSha} href={candidateUrl} />
      <CopyButton text={candidateSha} label={text.copyCandidate} />
    </span>
  );
}

/** A milestone is due on a day, whose time has no meaning. */
const Due = ({ day }: { readonly day: string }) => <time dateTime={day}>{formatDay(Date.parse(day))}</time>;

const ValidUntil = ({ date }: { readonly date: string }) => (
  <>
    <Moment date={date} /> (<RelativeTime date={date} />)
  </>
);

interface VerificationProps {
  readonly lastRead: LastRead;
  readonly evaluatedAt: string | null;
}

/** Whether the facts were read from GitHub, and when they were evaluated. */
function Verification({ lastRead: { isRunning, verification, at }, evaluatedAt }: VerificationProps) {
  const evaluated = (
    <span className="quiet">
      {evaluatedAt === null ? (
        text.neverEvaluated
      ) : (
        <>
          {text.evaluated} <RelativeTime date={evaluatedAt} />
        </>
      )}
    </span>
  );
  if (isRunning) {
    return (
      <>
        {text.reading} {evaluated}
      </>
    );
  }
  if (verification?.status === 'verified' && at !== null) {
    return (
      <>
        {text.verified} <RelativeTime date={at} />
      </>
    );
  }
  return (
    <>
      {text.notVerified}. {verification !== null && <span lang="en">{verification.reason}</span>} {evaluated}
    </>
  );
}
