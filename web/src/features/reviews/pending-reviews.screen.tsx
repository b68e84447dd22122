import { ChevronDownIcon, ChevronRightIcon } from '@primer/octicons-react';
import { Button, Spinner } from '@primer/react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { Schema } from '../../api/client.js';
import { ReviewBrief } from '../../release-ui/review-brief.js';
import { ReleaseLink } from '../../release-ui/release-link.js';
import { StatusLabel, type StatusKind } from '../../release-ui/status-label.js';
import { ExternalButton } from '../../ui/links.js';
import { LiveTable } from '../../ui/live-table.js';
import { Pager } from '../../ui/pager.js';
import { QueryRegion } from '../../ui/query-region.js';
import { Elapsed } from '../../ui/relative-time.js';
import { ScreenHead } from '../../ui/screen.js';
import { EmptyState } from '../../ui/states.js';
import { Tab, TabNav } from '../../ui/tab-nav.js';
import { Row } from '../../ui/table.js';
import { text } from '../../texts/en/reviews.js';
import classes from './pending-reviews.module.css';
import { pendingReviewsQuery } from './pending-reviews.query.js';

const ROUTE = '/session/w/$org/reviews';

const VARIANTS: Readonly<Record<Schema<'ReviewEligibility'>['status'], StatusKind>> = {
  eligible: 'needsApproval',
  ineligible: 'neutral',
  unknown: 'unknown',
};

/** The releases that wait for approvals: those that the user can approve, or all of the workspace. */
export function PendingReviewsScreen() {
  const search = useSearch({ from: ROUTE });
  const { org } = useParams({ from: ROUTE });
  const navigate = useNavigate();
  const query = useQuery(pendingReviewsQuery(search));
  const { data, isPlaceholderData } = query;
  const scope = search.scope ?? 'mine';
  const counts = {
    // Not known while some are unknown.
    mine: scope === 'mine' && data?.unknown === 0 && !isPlaceholderData ? data.pagination?.total : undefined,
    workspace: data?.workspaceTotal,
    unknown: data?.unknown,
  };
  const target = { to: '/w/$org/reviews', params: { org } } as const;
  return (
    <>
      <ScreenHead title={text.title} documentTitle={text.title} />
      <TabNav label={text.tabs}>
        {([undefined, 'workspace', 'unknown'] as const).map((tab) => (
          <Tab
            key={tab ?? 'mine'}
            {...target}
            activeOptions={{ explicitUndefined: true }}
            search={{ ...search, scope: tab, page: undefined, open: undefined }}
            {...(search.scope === tab && { 'aria-current': 'page' as const })}
            counter={counts[tab ?? 'mine'] ?? null}
          >
            {text.scopes[tab ?? 'mine']}
          </Tab>
        ))}
      </TabNav>
      <QueryRegion query={query} failed={text.failed} rows={4}>
        {({ reviews, unknown = 0, workspaceTotal = 0, pagination }, isStale) => (
          <>
            {reviews.length > 0 && (
              <LiveTable
                caption={text.captions[scope]}
                columns={Object.values(text.columns)}
                rows={reviews}
                toId={({ milestoneId }) => milestoneId}
                filters={{ ...search, open: undefined }}
                isStale={isStale}
                changed={text.changed}
              >
                {(review, isGone) => (
                  <ReviewRow
                    key={review.milestoneId}
                    review={review}
                    isGone={isGone}
                    isOpen={review.milestoneId === search.open}
                    onToggle={(isOpen) =>
                      void navigate({
                        ...target,
                        search: { ...search, open: isOpen ? review.milestoneId : undefined },
                        replace: true,
                        resetScroll: false,
                      })
                    }
                  />
                )}
              </LiveTable>
            )}
            {reviews.length === 0 && scope === 'workspace' && (
              <EmptyState title={text.noneWorkspace}>
                <p>{text.noneHint}</p>
              </EmptyState>
            )}
            {reviews.length === 0 && scope === 'unknown' && unknown === 0 && <EmptyState title={text.noneUnknown} />}
            {reviews.length === 0 && scope === 'mine' && unknown === 0 && (
              <EmptyState title={text.noneMine}>
                {workspaceTotal > 0 && (
                  <Link {...target} search={{ scope: 'workspace' }}>
                    {text.inWorkspace(workspaceTotal)}
                  </Link>
                )}
              </EmptyState>
            )}
            <Pager pagination={pagination} />
            {/* The status appears and disappears by itself, so its place is where it moves no row. */}
            <output className={classes['checking']}>
              {unknown > 0 && (
                <>
                  <Spinner size="small" srText={null} />
                  <span>
                    {text.checking(unknown)} {scope === 'mine' && text.checkingHint}
                  </span>
                </>
              )}
            </output>
          </>
        )}
      </QueryRegion>
    </>
  );
}

interface ReviewRowProps {
  readonly review: Schema<'PendingReview'>;
  /** No longer part of the list. */
  readonly isGone: boolean;
  /** Whether it shows what changed. */
  readonly isOpen: boolean;
  readonly onToggle: (isOpen: boolean) => void;
}

function ReviewRow(props: ReviewRowProps) {
  const { review, isGone, isOpen } = props;
  return (
    <>
      <Summary {...props} />
      {isOpen && (
        <Row inert={isGone}>
          <td colSpan={Object.keys(text.columns).length}>
            <section aria-label={text.briefOf(`${review.repo} ${review.version}`)}>
              <ReviewBrief id={review.milestoneId} />
            </section>
          </td>
        </Row>
      )}
    </>
  );
}

function Summary({ review, isGone, isOpen, onToggle }: ReviewRowProps) {
  const { milestoneId, repo, version, approvals, eligibility, approvalEffects, evidencePrUrl, waitingSince } = review;
  const { lostTests } = review;
  const note = text.states[review.reviewState];
  return (
    <Row inert={isGone}>
      <th scope="row">
        <ReleaseLink id={milestoneId}>
          {repo} {version}
        </ReleaseLink>
        {waitingSince !== null && (
          <div className="quiet">
            {text.waiting} <Elapsed date={waitingSince} />
          </div>
        )}
        {lostTests !== null && lostTests > 0 && (
          <div>
            <StatusLabel kind="lost">{text.lostTests(lostTests)}</StatusLabel>
          </div>
        )}
        <Button
          className={classes['toggle']}
          variant="invisible"
          size="small"
          leadingVisual={isOpen ? ChevronDownIcon : ChevronRightIcon}
          aria-expanded={isOpen}
          aria-label={text.briefOf(`${repo} ${version}`)}
          onClick={() => onToggle(!isOpen)}
        >
          {text.brief}
        </Button>
      </th>
      <td>
        {text.approvals(approvals.given, approvals.required)}
        <div className="quiet">{whoApproves(review)}</div>
      </td>
      <td>
        <StatusLabel kind={VARIANTS[eligibility.status]}>{text.eligibility[eligibility.status]}</StatusLabel>
        <div className="quiet" lang="en">
          {eligibility.reason}
        </div>
      </td>
      <td className={classes['effect']}>
        <span lang="en">{approvalEffects.summary}</span>
      </td>
      <td>
        {evidencePrUrl === null ? (
          <span className="quiet">{text.noPull}</span>
        ) : (
          <ExternalButton href={evidencePrUrl}>{text.review}</ExternalButton>
        )}
        {note !== null && <div className="quiet">{note}</div>}
      </td>
    </Row>
  );
}

function whoApproves({ policy }: Schema<'PendingReview'>): string {
  if (policy === null) return text.noPolicy;
  if (!policy.requiresEvidenceApproval) return text.noApproval;
  return policy.teams.length > 0 ? text.byTeams(policy.teams) : text.byAll;
}
