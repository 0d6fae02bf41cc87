import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { cn } from '@/ui/cn';
import { toLocationState, type ListOrigin } from './list-origin';
import { ROW_LINK } from './use-list-shortcuts';

interface RowOpenerProps {
  /** The page of the row; without one `onOpen` is asked, and without both this is only text. */
  href: string | undefined;
  onOpen: (() => void) | undefined;
  isOpen: boolean;
  origin: ListOrigin;
  /** The look of what can be opened. */
  className: string;
  children: ReactNode;
}

const mark = { [ROW_LINK]: '' };

/** What opens a row by click and by keys: a link to its page, or a button where it has none. */
export function RowOpener(props: RowOpenerProps) {
  const { href, onOpen, isOpen, origin, className, children } = props;
  if (href !== undefined) {
    return (
      <Link to={href} state={toLocationState(origin)} {...mark} className={className}>
        {children}
      </Link>
    );
  }
  if (!onOpen) return children;
  return (
    <button
      type="button"
      {...mark}
      aria-current={isOpen || undefined}
      onClick={onOpen}
      className={cn('text-left', className)}
    >
      {children}
    </button>
  );
}
