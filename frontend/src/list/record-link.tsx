import { createContext, use, useCallback } from 'react';
import { Link, type LinkProps, useLocation, useNavigate } from 'react-router';
import { linkBack, type ListOrigin, originState, toLocationState } from './list-origin';

/** The list around its rows. Records that the actions of a row open lead back to this list. */
export const OriginContext = createContext<ListOrigin | undefined>(undefined);

/**
 * Returns a function that returns the link to another page of the open record. The link passes on the list that the record
 * was opened from, or leads back to this list with its filters and page.
 */
export function useRecordLink(): (to: string) => Pick<LinkProps, 'to' | 'state'> {
  const origin = use(OriginContext);
  const location = useLocation();
  const state: unknown = origin ? toLocationState(origin) : location.state;
  return useCallback((to) => ({ state: originState(state), ...linkBack(state, to) }), [state]);
}

/** A link to another page of the open record, which keeps the way back to the list. */
export function RecordLink({ to, ...props }: Omit<LinkProps, 'to' | 'state'> & { to: string }) {
  const link = useRecordLink();
  return <Link {...props} {...link(to)} />;
}

/** Navigates like a `RecordLink`. */
export function useRecordNavigate(): (to: string) => Promise<void> {
  const navigate = useNavigate();
  const link = useRecordLink();
  return useCallback(
    async (address) => {
      const { to, state } = link(address);
      await navigate(to, { state: state as unknown });
    },
    [navigate, link],
  );
}
