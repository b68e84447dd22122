import { Children, cloneElement, createContext, isValidElement, use, type ComponentProps, type ReactNode } from 'react';
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

const ColumnsContext = createContext<readonly string[]>([]);

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
      <tbody>
        <ColumnsContext value={columns}>{children}</ColumnsContext>
      </tbody>
    </table>
  );
}

interface CellProps extends ComponentProps<'td'> {
  readonly 'data-column'?: string | undefined;
}

/** A row of a table. Its `td` elements get the names of their columns, which a phone shows beside the values. */
export function Row({ children, ...attributes }: ComponentProps<'tr'>) {
  const columns = use(ColumnsContext);
  const cells: ReactNode[] = [];
  let at = 0;
  for (const cell of Children.toArray(children)) {
    const { colSpan = 1 } = isValidElement<CellProps>(cell) ? cell.props : {};
    const hasName = isValidElement<CellProps>(cell) && cell.type === 'td' && colSpan === 1;
    cells.push(hasName ? cloneElement(cell, { 'data-column': columns[at] }) : cell);
    at += colSpan;
  }
  return <tr {...attributes}>{cells}</tr>;
}
