import type { Schema } from '../../api/client.js';
import { ReleaseLink } from '../../release-ui/release-link.js';
import { StatusLabel, type StatusKind } from '../../release-ui/status-label.js';
import { formatDuration, formatExact } from '../../ui/format-time.js';
import { ExternalLink, Sha } from '../../ui/links.js';
import { RelativeTime, useNow } from '../../ui/relative-time.js';
import { text } from '../../texts/en/environments.js';
import classes from './environments.module.css';
import { useRelease } from './release.query.js';

type Environment = Schema<'ReleaseEnvironment'>;

const KINDS = {
  not_deployed: 'neutral',
  deploying: 'running',
  failed: 'failed',
  deployed: 'good',
  soaking: 'waiting',
  soaked: 'good',
  unknown: 'unknown',
} as const satisfies Record<Environment['state'], StatusKind>;

/** The environments of the policy in their order, with the place of the candidate. Nothing if the policy names only the target. */
export function Environments() {
  const { environments } = useRelease();
  if (environments.length < 2) return null;
  return (
    <section aria-labelledby="environments" className={classes['section']}>
      <h2 id="environments">{text.title}</h2>
      <ol className={classes['row']}>
        {environments.map((environment) => (
          <li key={environment.role}>
            <div className={classes['head']}>
              <strong>{environment.name}</strong>
              <span className="quiet">{text.roles[environment.role]}</span>
            </div>
            <div className={classes['head']}>
              <StatusLabel kind={KINDS[environment.state]}>{text.states[environment.state]}</StatusLabel>
              {environment.kind === 'ungoverned' && <StatusLabel kind="ungoverned">{text.ungoverned}</StatusLabel>}
            </div>
            <Deployed environment={environment} />
            <Soak environment={environment} />
          </li>
        ))}
      </ol>
    </section>
  );
}

/** The commit in the environment, with its release if it is not this one. */
function Deployed({ environment }: { readonly environment: Environment }) {
  const { release } = useRelease();
  const { commitSha, commitUrl, isCandidate, state, since, runUrl, milestoneId, version } = environment;
  if (commitSha === null) return <p className="quiet">{state === 'unknown' ? text.unknownHint : text.nothing}</p>;
  const label = state === 'unknown' ? text.lastKnown : isCandidate ? text.candidate : text.otherCommit;
  const isOtherRelease = milestoneId !== null && milestoneId !== release.milestoneId;
  return (
    <p className="quiet">
      {label} <Sha sha={commitSha} href={commitUrl} />
      {isOtherRelease && (
        <>
          {' '}
          <ReleaseLink id={milestoneId}>{version}</ReleaseLink>
        </>
      )}
      {since !== null && (
        <>
          , <RelativeTime date={since} />
        </>
      )}{' '}
      {runUrl !== null && <ExternalLink href={runUrl}>{text.run}</ExternalLink>}
    </p>
  );
}

const MINUTE_MS = 60_000;

/** The time that is left of a soak, to the minute, or the soak that is still ahead. */
function Soak({ environment: { state, soakSeconds, soakEndsAt } }: { readonly environment: Environment }) {
  const now = useNow();
  if (soakEndsAt !== null) {
    const end = Date.parse(soakEndsAt);
    const minutes = Math.ceil((end - now) / MINUTE_MS);
    return (
      <p>
        {minutes > 0 ? (
          <>
            {text.soakEnds}{' '}
            <time dateTime={soakEndsAt} title={formatExact(end)}>
              {formatDuration(minutes * 60)}
            </time>
          </>
        ) : (
          text.soakEnded
        )}
      </p>
    );
  }
  if (soakSeconds === null || soakSeconds === 0 || state === 'soaked' || state === 'unknown') return null;
  return <p className="quiet">{text.soakAhead(formatDuration(soakSeconds))}</p>;
}
