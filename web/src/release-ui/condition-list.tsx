import type { ReactNode } from 'react';
import { getTraits } from '../../../src/domain/facts/condition-catalogue.js';
import type { Schema } from '../api/client.js';
import { ExternalLink } from '../ui/links.js';
import { withKeys } from '../ui/list-keys.js';
import { common } from '../texts/en/common.js';
import { text } from '../texts/en/release.js';
import classes from './condition-list.module.css';
import { StatusLabel, type StatusKind } from './status-label.js';

type Condition = Schema<'Condition'>;

/** A longer list hides its rest, so that many open issues do not hide the other conditions. */
const VISIBLE = 8;

interface ConditionListProps<Of extends Condition> {
  readonly conditions: readonly Of[];
  readonly kind: StatusKind;
  /** The text of the label, for example "Not met". */
  readonly label: string;
  /** Whether each condition names who can meet it. Not needed below a heading that does. */
  readonly hasActors?: boolean;
  /** Renders content after the next step, for example a button. */
  readonly renderMore?: (condition: Of) => ReactNode;
}

/** Conditions with title, sentence of the service, next step, actor and link. */
export function ConditionList<Of extends Condition>({ conditions, ...rest }: ConditionListProps<Of>) {
  const [first, others] = [conditions.slice(0, VISIBLE), conditions.slice(VISIBLE)];
  return (
    <>
      <Items conditions={first} {...rest} />
      {others.length > 0 && (
        <details>
          <summary>{text.blockers.more(others.length)}</summary>
          <Items conditions={others} {...rest} />
        </details>
      )}
    </>
  );
}

function Items<Of extends Condition>({
  conditions,
  kind,
  label,
  hasActors = false,
  renderMore,
}: ConditionListProps<Of>) {
  return (
    <ul className={classes['list']}>
      {withKeys(conditions, ({ code }) => code).map(([key, condition]) => {
        const { code, detail, actor, url, source } = condition;
        const { title, next } = getTraits(code);
        return (
          <li key={key} className={classes['item']}>
            <div className={classes['head']}>
              <StatusLabel kind={kind}>{label}</StatusLabel>
              <strong>{title}</strong>
              {source === 'organization' && <span className="quiet">{common.fromOrganization}</span>}
              {hasActors && <span className="quiet">{common.actors[actor]}</span>}
            </div>
            <p lang="en">{detail}</p>
            <p className="quiet">
              {text.blockers.next}: {next}{' '}
              {url !== undefined && <ExternalLink href={url}>{text.blockers.openLink}</ExternalLink>}
            </p>
            {renderMore?.(condition)}
          </li>
        );
      })}
    </ul>
  );
}
