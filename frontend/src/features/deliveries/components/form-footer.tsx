import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

interface FormFooterProps {
  /** How many fields are wrong. */
  errors: number;
  note?: ReactNode;
  /** Cancel, then the primary one. */
  children: ReactNode;
}

/** Stays in sight below a long form, unless the window is too low for that. */
export function FormFooter({ errors, note, children }: FormFooterProps) {
  const { t } = useTranslation('outcomes');
  return (
    <div className="sticky bottom-0 z-10 -mx-4 mt-4 -mb-6 flex min-h-14 flex-wrap items-center gap-x-3 gap-y-2 border-t border-line bg-surface px-4 py-2 short:static md:-mx-6 md:px-6">
      {errors > 0 && (
        <span className="flex items-center gap-1.5 text-sm text-bad">
          <CircleAlert aria-hidden className="size-4" />
          {t('errors', { count: errors })}
        </span>
      )}
      {note && <span className="min-w-0 text-sm text-muted max-md:hidden">{note}</span>}
      <div className="ml-auto flex gap-2">{children}</div>
    </div>
  );
}
