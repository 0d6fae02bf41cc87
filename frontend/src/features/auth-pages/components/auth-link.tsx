import type { ReactNode } from 'react';
import { Link } from 'react-router';

/** A way on, inside a line of text. */
export function AuthLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Link to={to} className="font-medium text-accent underline underline-offset-2">
      {children}
    </Link>
  );
}
