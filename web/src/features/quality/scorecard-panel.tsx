import { useId } from 'react';
import type { Schema } from '../../api/client.js';
import { ReleaseLink } from '../../release-ui/release-link.js';
import { StatusLabel } from '../../release-ui/status-label.js';
import { Bar } from '../../ui/charts.js';
import { withKeys } from '../../ui/list-keys.js';
import { Row, Table } from '../../ui/table.js';
import { common } from '../../texts/en/common.js';
import { text } from '../../texts/en/quality.js';
import { GradeBadge } from './grade-badge.js';
import classes from './quality.module.css';
import { ReleaseResults } from './release-results.js';
import { ScoreChange } from './score-change.js';

/** The scorecard of one release, its change since the last shipped one, and the results behind it. */
export function ScorecardPanel({ group }: { readonly group: Schema<'ReleaseGroup'> }) {
  const heading = useId();
  const { scorecard, repo, version, moreResults } = group;
  const name = `${repo} ${version}`;
  return (
    <article className={classes['panel']} aria-labelledby={heading}>
      <header>
        <div>
          <h2 id={heading}>
            <ReleaseLink id={group.milestoneId}>{name}</ReleaseLink>
          </h2>
          <div className="quiet">{common.stages[group.stage]}</div>
        </div>
        <div className={classes['total']}>
          <span>{scorecard.score === null ? text.noScore : text.score(scorecard.score)}</span>
          <GradeBadge grade={scorecard.grade} />
        </div>
      </header>
      {scorecard.caps.length > 0 && (
        <ul className={classes['caps']}>
          {withKeys(scorecard.caps, ({ grade }) => grade).map(([key, { grade, reason }]) => (
            <li key={key}>
              <strong>{text.cap(grade)}</strong> <span lang="en">{reason}</span>
            </li>
          ))}
        </ul>
      )}
      <Table caption={text.categoriesOf(name)} columns={Object.values(text.columns)}>
        {scorecard.categories.map((category) => (
          <CategoryRow key={category.name} category={category} />
        ))}
      </Table>
      <ScoreChange group={group} />
      {moreResults > 0 && <ReleaseResults group={group} />}
    </article>
  );
}

function CategoryRow({ category }: { readonly category: Schema<'CategoryScore'> }) {
  const { name, score, detail, status, weight } = category;
  const number = score === null ? text.incomplete : text.categoryScore(score);
  return (
    <Row>
      <th scope="row">
        {text.categories[name]} <span className="quiet">{text.weight(weight)}</span>
      </th>
      <td className={classes['score']}>
        <div>{number}</div>
        <Bar
          title={`${text.categories[name]}: ${number}`}
          percent={score}
          tone={status === 'failed' ? 'danger' : 'accent'}
        />
      </td>
      <td>
        {status === 'failed' && <StatusLabel kind="failed">{text.categoryFailed}</StatusLabel>}{' '}
        <span lang="en">{detail}</span>
      </td>
    </Row>
  );
}
