import { Pagination } from '@primer/react';
import { useNavigate, useRouter } from '@tanstack/react-router';
import type { Schema } from '../api/client.js';
import { common } from '../texts/en/common.js';

/** Links to the pages of a list. The page is a parameter of the URL. */
export function PageLinks({ pagination }: { readonly pagination: Schema<'PageInfo'> }) {
  const [router, navigate] = [useRouter(), useNavigate()];
  const search = (page: number) => (before: object) => ({ ...before, page: page === 1 ? undefined : page });
  return (
    <Pagination
      aria-label={common.pages}
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
