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

/** A longer list hides its rest, so that many open issues do not hide what follows. */
const VISIBLE = 8;

interface ConditionListProps<Of extends Condition> {
  readonly conditions: readonly Of[];
  readonly kind: StatusKind;
  /** The text of the label, for example "Not met". */
  readonly label: string;
  /** Whether it is not known if a condition is met. Its label says so. */
  readonly isUnknown?: (condition: Of) => boolean;
  /** The groups of actors that the viewer belongs to. Their conditions are marked. */
  readonly own?: readonly Condition['actor'][];
  /** The number of conditions before the fold. */
  readonly visible?: number;
  /** Renders the facts of a condition, before the sentence of the service. */
  readonly renderFacts?: (condition: Of) => ReactNode;
  /** Renders content after the next step, for example a button. */
  readonly renderMore?: (condition: Of) => ReactNode;
}

/** Conditions with title, sentence of the service, next step, actor and link. */
export function ConditionList<Of extends Condition>({
  conditions,
  visible = VISIBLE,
  ...rest
}: ConditionListProps<Of>) {
  const [first, others] = [conditions.slice(0, visible), conditions.slice(visible)];
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
  isUnknown,
  own,
  renderFacts,
  renderMore,
}: Omit<ConditionListProps<Of>, 'visible'>) {
  return (
    <ul className={classes['list']}>
      {withKeys(conditions, ({ code }) => code).map(([key, condition]) => {
        const { code, detail, actor, url, source } = condition;
        const { title, next } = getTraits(code);
        return (
          <li key={key} className={classes['item']}>
            <div className={classes['head']}>
              {isUnknown?.(condition) === true ? (
                <StatusLabel kind="unknown">{text.pipeline.unknown}</StatusLabel>
              ) : (
                <StatusLabel kind={kind}>{label}</StatusLabel>
              )}
              <strong>{title}</strong>
              {source === 'organization' && <span className="quiet">{common.fromOrganization}</span>}
              <span className="quiet">{common.actors[actor]}</span>
              {own?.includes(actor) === true && <span className={classes['own']}>{text.blockers.yours}</span>}
            </div>
            {renderFacts?.(condition)}
            <p lang="en">{detail}</p>
            <div className={`quiet ${classes['steps'] ?? ''}`}>
              <span>
                {text.blockers.next}: {next}
              </span>
              {url !== undefined && <ExternalLink href={url}>{text.blockers.openLink}</ExternalLink>}
              {renderMore?.(condition)}
            </div>
          </li>
        );
      })}
    </ul>
  );
}
