import { ChevronDownIcon, ChevronRightIcon } from '@primer/octicons-react';
import { Button } from '@primer/react';
import type { Schema } from '../../api/client.js';
import { ReleaseLink } from '../../release-ui/release-link.js';
import { StatusLabel, type StatusKind } from '../../release-ui/status-label.js';
import { Sparkline } from '../../ui/charts.js';
import { Row, Table } from '../../ui/table.js';
import { common } from '../../texts/en/common.js';
import { text } from '../../texts/en/quality.js';
import { GradeBadge } from './grade-badge.js';
import classes from './quality.module.css';
import { ScorecardPanel } from './scorecard-panel.js';

type Group = Schema<'ReleaseGroup'>;

const COLUMNS = Object.values(text.releaseColumns);

interface QualityTableProps {
  readonly groups: readonly Group[];
  readonly isStale: boolean;
  /** The release whose scorecard is shown below its row. */
  readonly openId: string | undefined;
  readonly onToggle: (milestoneId: string, isOpen: boolean) => void;
}

/** A row for each release with evidence. Opened, it shows the scorecard and the results behind it. */
export function QualityTable({ groups, isStale, openId, onToggle }: QualityTableProps) {
  return (
    <Table caption={text.caption} columns={COLUMNS} isStale={isStale}>
      {groups.flatMap((group) => {
        const { milestoneId } = group;
        const isOpen = milestoneId === openId;
        return [
          <GroupRow key={milestoneId} group={group} isOpen={isOpen} onToggle={() => onToggle(milestoneId, !isOpen)} />,
          isOpen && (
            <Row key={`${milestoneId} scorecard`}>
              <td colSpan={COLUMNS.length}>
                <ScorecardPanel group={group} />
              </td>
            </Row>
          ),
        ];
      })}
    </Table>
  );
}

interface GroupRowProps {
  readonly group: Group;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

function GroupRow({ group, isOpen, onToggle }: GroupRowProps) {
  const { milestoneId, repo, version, stage, change, earlierScores = [] } = group;
  const { score, grade, incomplete } = group.scorecard;
  const scores = [...earlierScores, score];
  const name = `${repo} ${version}`;
  return (
    <Row>
      <th scope="row">
        <ReleaseLink id={milestoneId}>{name}</ReleaseLink>
        <div className="quiet">{common.stages[stage]}</div>
      </th>
      <td>
        <div className={classes['total']}>
          <GradeBadge grade={grade} />
          <div>
            {score === null ? text.noScore : text.score(score)}
            {score !== null && incomplete.length > 0 && (
              <div className="quiet">{text.incompleteCount(incomplete.length)}</div>
            )}
          </div>
        </div>
      </td>
      <td className="one-line">{change !== null && <Change change={change} />}</td>
      <td>
        {scores.filter((value) => value !== null).length > 1 && (
          <Sparkline title={text.scoresLine(name, scores)} values={scores} />
        )}
      </td>
      <td>
        <Notes group={group} />
      </td>
      <td>
        <Button
          className={classes['toggle']}
          variant="invisible"
          size="small"
          leadingVisual={isOpen ? ChevronDownIcon : ChevronRightIcon}
          aria-expanded={isOpen}
          onClick={onToggle}
        >
          {text.scorecard} <span className="sr-only">{text.scorecardOf(name)}</span>
        </Button>
      </td>
    </Row>
  );
}

function Change({ change: { score, against } }: { readonly change: Schema<'ReleaseChange'> }) {
  return (
    <>
      <div>{score === null ? text.notComparable : text.points(score)}</div>
      <div className="quiet">
        {text.since} {against.version}
      </div>
    </>
  );
}

/** What a reader must notice about a release: a limit of its grade, and what its tests show. Nothing if there is none. */
function Notes({ group: { scorecard, change, flaky, comparison } }: { readonly group: Group }) {
  const worst = scorecard.caps.map(({ grade }) => grade).toSorted();
  const newFailures = change?.tests?.newFailures.count ?? 0;
  const lostTests = change?.tests?.lostTests.count ?? 0;
  const notes: readonly (readonly [StatusKind, string | null])[] = [
    ['blocked', worst.length > 0 ? text.capped(worst.at(-1) ?? '') : null],
    ['failed', newFailures > 0 ? text.newFailures(newFailures) : null],
    ['lost', lostTests > 0 ? text.lostTests(lostTests) : null],
    ['lost', flaky !== null && flaky.count > 0 ? text.flakyCount(flaky.count) : null],
    ['unknown', comparison === 'unknown' ? text.notCompared : null],
    ['waiting', comparison === 'pending' ? text.comparing : null],
  ];
  const shown = notes.filter(([, note]) => note !== null);
  if (shown.length === 0) return null;
  return (
    <div className={classes['notes']}>
      {shown.map(([kind, note]) => (
        <StatusLabel key={note} kind={kind}>
          {note}
        </StatusLabel>
      ))}
    </div>
  );
}
