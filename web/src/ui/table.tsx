import type { ReactNode } from 'react';
import classes from './table.module.css';

interface TableProps {
  /** Says what the rows are and how they are ordered. Only screen readers read it. */
  readonly caption: string;
  readonly columns: readonly string[];
  /** Old rows are dimmed and cannot be used. */
  readonly isStale?: boolean;
  /** The rows. The first cell of each is a `th` with `scope="row"`. */
  readonly children: ReactNode;
}

/** A table of the dashboard. On a phone the cells of a row stand below each other. */
export function Table({ caption, columns, isStale = false, children }: TableProps) {
  return (
    <table className={classes['table']} aria-busy={isStale} inert={isStale}>
      <caption className="sr-only">{caption}</caption>
      <thead>
        <tr>
          {columns.map((title) => (
            <th scope="col" key={title}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}
