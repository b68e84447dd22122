import { Button, Heading } from '@primer/react';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { getTraits } from '../../../../../src/domain/facts/condition-catalogue.js';
import type { Schema } from '../../../api/client.js';
import { StatusLabel } from '../../../release-ui/status-label.js';
import { formatExact } from '../../../ui/format-time.js';
import { Sha } from '../../../ui/links.js';
import { withKeys } from '../../../ui/list-keys.js';
import { QueryRegion } from '../../../ui/query-region.js';
import { RelativeTime } from '../../../ui/relative-time.js';
import { Facts } from '../../../ui/screen.js';
import { ErrorState } from '../../../ui/states.js';
import { common } from '../../../texts/en/common.js';
import { text } from '../../../texts/en/decisions.js';
import { PartHead } from '../part-head.js';
import { Sentences } from '../sentences.js';
import { decisionQuery, replayQuery } from './decisions.query.js';
import classes from './decisions.module.css';

const ROUTE = '/session/w/$org/releases/$id/decisions/$decisionId';

/** One decision: its result, reasons and overrides, the verdict and the inputs, and a replay. */
export function DecisionScreen() {
  const { decisionId, ...params } = useParams({ from: ROUTE });
  const query = useQuery(decisionQuery(params.id, decisionId));
  const back = (
    <Link to="/w/$org/releases/$id/decisions" params={params} resetScroll={false}>
      {text.back}
    </Link>
  );
  return (
    <>
      {query.data === undefined && <p>{back}</p>}
      <QueryRegion query={query} failed={text.decisionFailed}>
        {(decision) => (
          <>
            <PartHead back={back}>{text.decisionOf(formatExact(Date.parse(decision.at)))}</PartHead>
            {decision.rulesChanged && (
              <p>
                <OtherRules rules={decision.rules} />
              </p>
            )}
            <Result decision={decision} />
            {!decision.rulesChanged && <Replay id={params.id} decisionId={decisionId} />}
            <Json title={text.verdict} value={decision.verdict} />
            <Json title={text.inputs} value={decision.inputs} />
          </>
        )}
      </QueryRegion>
    </>
  );
}

function Result({ decision }: { readonly decision: Schema<'DecisionDetail'> }) {
  const { at, open, stage, candidateSha, policyDigest, rules, reasons, overrides } = decision;
  return (
    <>
      <Facts
        entries={[
          [text.facts.time, <RelativeTime key="time" date={at} />],
          [
            text.facts.gate,
            <StatusLabel key="gate" kind={open ? 'opened' : 'closed'}>
              {open ? text.open : text.closed}
            </StatusLabel>,
          ],
          [text.facts.stage, common.stages[stage]],
          [text.facts.candidate, candidateSha && <Sha key="sha" sha={candidateSha} />],
          [text.facts.digest, policyDigest && <code key="digest">{policyDigest}</code>],
          [text.facts.rules, rules],
        ]}
      />
      <section className={classes['part']}>
        <Heading as="h3" variant="small">
          {text.reasons}
        </Heading>
        {reasons.length === 0 && <p className="quiet">{text.noReasons}</p>}
        <ul>
          {withKeys(reasons, ({ code }) => code).map(([key, { code, detail }]) => (
            <li key={key}>
              <strong>{getTraits(code).title}.</strong> <span lang="en">{detail}</span>
            </li>
          ))}
        </ul>
      </section>
      {overrides.length > 0 && (
        <section className={classes['part']}>
          <Heading as="h3" variant="small">
            {text.overridesTitle}
          </Heading>
          {overrides.map(({ id, kind, reason, expiresAt, conditions }) => (
            <div key={id}>
              <StatusLabel kind="overridden">{text.kinds[kind]}</StatusLabel> {reason}{' '}
              <span className="quiet">
                {text.ends} {formatExact(Date.parse(expiresAt))}
              </span>
              <Sentences items={conditions.map(({ detail }) => detail)} />
            </div>
          ))}
        </section>
      )}
    </>
  );
}

/** Says that the service cannot derive the decision again, and what can. */
function OtherRules({ rules }: { readonly rules: string }) {
  return (
    <>
      <StatusLabel kind="unknown">{text.otherRules}</StatusLabel> {text.otherRulesHint(rules)}
    </>
  );
}

function Replay({ id, decisionId }: { readonly id: string; readonly decisionId: string }) {
  const { data, error, isFetching, refetch } = useQuery(replayQuery(id, decisionId));
  return (
    <section className={classes['part']}>
      <Heading as="h3" variant="small">
        {text.replay}
      </Heading>
      <p className="quiet">{text.replayLead}</p>
      <Button loading={isFetching} onClick={() => void refetch()}>
        {text.replay}
      </Button>
      {error && <ErrorState title={text.replayFailed} error={error} onRetry={() => void refetch()} />}
      <output className={classes['replay']}>
        {data?.agrees === true && (
          <>
            <StatusLabel kind="good">{text.same}</StatusLabel> {text.sameHint}
          </>
        )}
        {data?.agrees === false && <StatusLabel kind="failed">{text.differs}</StatusLabel>}
        {data?.agrees === null && <OtherRules rules={data.rules} />}
      </output>
      {data?.agrees === false && (
        <>
          <p>{text.differences}</p>
          <ul>
            {data.differences.map((part) => (
              <li key={part}>
                <code>{part}</code>
              </li>
            ))}
          </ul>
          {data.verdict ? <Json title={text.verdictNow} value={data.verdict} /> : <p>{text.noVerdict}</p>}
        </>
      )}
    </section>
  );
}

/** A value as JSON, folded. It is written only when it is unfolded, because inputs can be long. */
function Json({ title, value }: { readonly title: string; readonly value: object }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details className={classes['json']} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && (
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- A part that scrolls must be reachable by the keyboard.
        <pre tabIndex={0}>{JSON.stringify(value, null, 2)}</pre>
      )}
    </details>
  );
}
