import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Button } from '@/ui/button';

interface NextStepProps {
  to: string;
  children: ReactNode;
}

/** The one button of a page that has said all it has to say. */
export function NextStep({ to, children }: NextStepProps) {
  return (
    <Button asChild variant="primary" size={40} className="mt-5 w-full">
      <Link to={to}>{children}</Link>
    </Button>
  );
}
