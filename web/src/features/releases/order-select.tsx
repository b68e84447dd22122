import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { FilterSelect } from '../../ui/filters.js';
import { text } from '../../texts/en/releases.js';
import { ORDERS } from './release-list.search.js';

const ROUTE = '/session/w/$org/releases';

/** The order of the list, which is in the URL. */
export function OrderSelect() {
  const [search, params, navigate] = [useSearch({ from: ROUTE }), useParams({ from: ROUTE }), useNavigate()];
  return (
    <FilterSelect
      label={text.order}
      all={text.urgency}
      value={search.sort}
      options={ORDERS.map((order) => [order, text.orders[order]])}
      onChange={(sort) =>
        void navigate({ to: '/w/$org/releases', params, search: { ...search, sort, page: undefined } })
      }
    />
  );
}
