import { Pagination } from '@primer/react';
import { useNavigate, useRouter } from '@tanstack/react-router';
import type { Schema } from '../api/client.js';

interface PageLinksProps {
  readonly pagination: Schema<'PageInfo'>;
  /** The parameter of the URL that has the page. */
  readonly parameter: string;
  /** Names the links. */
  readonly label: string;
}

/** Links to the pages of a list. */
export function PageLinks({ pagination, parameter, label }: PageLinksProps) {
  const [router, navigate] = [useRouter(), useNavigate()];
  const search = (page: number) => (before: object) => ({ ...before, [parameter]: page === 1 ? undefined : page });
  return (
    <Pagination
      aria-label={label}
      pageCount={pagination.pages}
      currentPage={pagination.page}
      hrefBuilder={(page) => router.buildLocation({ to: '.', search: search(page) }).href}
      onPageChange={(event, page) => {
        event.preventDefault();
        void navigate({ to: '.', search: search(page) });
      }}
    />
  );
}
