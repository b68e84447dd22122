import { Button } from '@primer/react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { getTraits } from '../../../../../src/domain/facts/condition-catalogue.js';
import type { Schema } from '../../../api/client.js';
import { StatusLabel } from '../../../release-ui/status-label.js';
import { formatExact } from '../../../ui/format-time.js';
import { Sha } from '../../../ui/links.js';
import { EmptyState, ErrorState, Placeholder } from '../../../ui/states.js';
import { common } from '../../../texts/en/common.js';
import { text as record } from '../../../texts/en/approval-record.js';
import { text } from '../../../texts/en/decisions.js';
import { useRelease } from '../release.query.js';
import { decisionsQuery } from './decisions.query.js';
import classes from './decisions.module.css';
import { joinTimeline } from './timeline.js';

const ROUTE = '/session/w/$org/releases/$id/decisions';

/** The decisions about a release and its changes of stage as a timeline. */
export function DecisionsScreen() {
  const { org, id } = useParams({ from: ROUTE });
  const { transitions } = useRelease();
  const query = useInfiniteQuery(decisionsQuery(id));
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = query;
  const decisions = data?.pages.flatMap((page) => page.decisions) ?? [];
  const entries = joinTimeline(decisions, transitions, hasNextPage);
  return (
    <>
      <p>
        {text.lead}{' '}
        <Link to="/w/$org/releases/$id/approval" params={{ org, id }}>
          {record.link}
        </Link>
      </p>
      {error && (
        <ErrorState
          title={data === undefined ? text.failed : common.stale}
          error={error}
          onRetry={() => void refetch()}
        />
      )}
      {data === undefined && !error && <Placeholder />}
      {data !== undefined && entries.length === 0 && (
        <EmptyState title={text.none}>
          <p>{text.noneHint}</p>
        </EmptyState>
      )}
      {data !== undefined && (
        <ol aria-label={text.timeline} className={classes['timeline']}>
          {entries.map((entry) => (
            <li key={entry.kind === 'decision' ? entry.decision.id : `${entry.at} ${entry.transition.to}`}>
              {entry.kind === 'decision' ? (
                <DecisionEntry decision={entry.decision} />
              ) : (
                <TransitionEntry transition={entry.transition} />
              )}
            </li>
          ))}
        </ol>
      )}
      {hasNextPage && (
        <Button loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {text.older}
        </Button>
      )}
    </>
  );
}

function DecisionEntry({ decision }: { readonly decision: Schema<'Decision'> }) {
  const params = useParams({ from: ROUTE });
  const { id, at, open, stage, candidateSha, reasons, overrides } = decision;
  const [first] = reasons;
  return (
    <>
      <div className={classes['head']}>
        <StatusLabel kind={open ? 'opened' : 'closed'}>{open ? text.open : text.closed}</StatusLabel>
        <Link
          to="/w/$org/releases/$id/decisions/$decisionId"
          params={{ ...params, decisionId: id }}
          resetScroll={false}
        >
          {text.decisionOf(formatExact(Date.parse(at)))}
        </Link>
        <span className="quiet">{text.at(common.stages[stage])}</span>
        {candidateSha !== null && <Sha sha={candidateSha} />}
        {overrides.length > 0 && <StatusLabel kind="overridden">{text.overrides(overrides.length)}</StatusLabel>}
      </div>
      {first && (
        <p>
          <strong>{getTraits(first.code).title}.</strong> <span lang="en">{first.detail}</span>{' '}
          {reasons.length > 1 && <span className="quiet">{text.more(reasons.length - 1)}</span>}
        </p>
      )}
    </>
  );
}

function TransitionEntry({ transition }: { readonly transition: Schema<'StageTransition'> }) {
  const { from, to, cause, actor, at } = transition;
  const stage = common.stages[to];
  return (
    <div className={classes['head']}>
      <strong>{from === null ? text.stageFirst(stage) : text.stageFrom(common.stages[from], stage)}</strong>
      <span className="quiet">{formatExact(Date.parse(at))}</span>
      <span className="quiet" lang="en">
        {text.cause(cause, actor === 'service' ? text.service : actor)}
      </span>
    </div>
  );
}
