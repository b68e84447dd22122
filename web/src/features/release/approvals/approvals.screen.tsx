import { Avatar } from '@primer/react';
import { Link, useParams } from '@tanstack/react-router';
import type { Schema } from '../../../api/client.js';
import { ReviewBrief } from '../../../release-ui/review-brief.js';
import { PartStatus } from '../../../release-ui/part-status.js';
import { StatusLabel, type StatusKind } from '../../../release-ui/status-label.js';
import { ExternalButton, Sha } from '../../../ui/links.js';
import { RelativeTime } from '../../../ui/relative-time.js';
import { EmptyState } from '../../../ui/states.js';
import { Row, Table } from '../../../ui/table.js';
import { text as record } from '../../../texts/en/approval-record.js';
import { approvalsText as partText } from '../../../texts/en/release-parts.js';
import { text } from '../../../texts/en/release.js';
import { useRelease } from '../release.query.js';
import classes from './approvals.module.css';

type Review = Schema<'EvidenceReview'>;

const ELIGIBILITY = { eligible: 'good', ineligible: 'neutral', unknown: 'unknown' } as const;

/** Which approvals the evidence has and needs, who can still give them, and whether the viewer can. */
export function ApprovalsScreen() {
  const { org } = useParams({ from: '/session/w/$org' });
  const { approvals, viewer, release } = useRelease();
  const { required, given, reviews } = approvals;
  const { evidencePrNumber, evidencePrUrl, deployedAt } = release;
  return (
    <section aria-labelledby="part">
      <h2 id="part">{text.tabs.approvals}</h2>
      {evidencePrNumber === null ? (
        <p>{partText.noPull}</p>
      ) : (
        <>
          <PartStatus part={approvals} />
          <div className={classes['summary']}>
            <strong>
              {required === null
                ? partText.givenOnly(given)
                : required === 0
                  ? partText.notRequired
                  : partText.given(given, required)}
            </strong>
            <ExternalButton href={evidencePrUrl}>
              {partText.openPull} {text.pull(evidencePrNumber)}
            </ExternalButton>
          </div>
        </>
      )}
      <p>
        <Link to="/w/$org/releases/$id/approval" params={{ org, id: release.milestoneId }}>
          {record.link}
        </Link>
      </p>
      <h3>{partText.you}</h3>
      <p className={classes['you']}>
        <StatusLabel kind={ELIGIBILITY[viewer.eligibility.status]}>
          {partText.eligibility[viewer.eligibility.status]}
        </StatusLabel>
        <span lang="en">{viewer.eligibility.reason}</span>
      </p>
      <h3>{partText.changes}</h3>
      <ReviewBrief id={release.milestoneId} />
      <h3>{partText.reviews}</h3>
      {reviews.length === 0 ? (
        <EmptyState title={partText.noReviews} />
      ) : (
        <Table caption={partText.caption} columns={Object.values(partText.columns)}>
          {reviews.map((review) => (
            <ReviewRow key={review.login} review={review} isCurrent={approvals.status === 'current'} />
          ))}
        </Table>
      )}
      <h3>{partText.others}</h3>
      {deployedAt === null ? <Others eligible={approvals.eligible} /> : <p>{partText.final}</p>}
    </section>
  );
}

function ReviewRow({ review, isCurrent }: { readonly review: Review; readonly isCurrent: boolean }) {
  const { state, counts, reason, commitSha, submittedAt } = review;
  return (
    <Row>
      <th scope="row">
        <User user={review} />
      </th>
      <td>
        <StatusLabel kind={isCurrent ? findKind(review) : 'stale'}>{partText.states[state]}</StatusLabel>
      </td>
      <td>
        {counts ? (state === 'changes_requested' ? partText.blocks : partText.counts) : partText.countsNot}
        {reason !== null && (
          <div className="quiet" lang="en">
            {reason}
          </div>
        )}
      </td>
      <td>{commitSha !== null && <Sha sha={commitSha} />}</td>
      <td>
        <RelativeTime date={submittedAt} />
      </td>
    </Row>
  );
}

/** Only an approval that counts is green. */
function findKind({ state, counts }: Review): StatusKind {
  if (!counts) return 'neutral';
  return state === 'approved' ? 'good' : 'failed';
}

function Others({ eligible: { teams, users } }: { readonly eligible: Schema<'EligibleReviewers'> }) {
  return (
    <>
      {teams.length === 0 ? (
        <p>{partText.everyWriter}</p>
      ) : (
        <p>
          {partText.teams}: {teams.map((team) => `"${team}"`).join(', ')}
        </p>
      )}
      {users !== null && users.length > 0 && (
        <>
          <p id="known">{partText.known}:</p>
          <ul aria-labelledby="known" className={classes['users']}>
            {users.map((user) => (
              <li key={user.login}>
                <User user={user} />
              </li>
            ))}
          </ul>
        </>
      )}
      <p className="quiet">{partText.incomplete}</p>
    </>
  );
}

const User = ({ user: { login, avatarUrl } }: { readonly user: Schema<'ReleaseUser'> }) => (
  <span className={classes['user']}>
    {avatarUrl !== null && <Avatar src={avatarUrl} alt="" size={20} />} {login}
  </span>
);
