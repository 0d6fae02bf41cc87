import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useTimeZone } from '@/data/use-time-zone';
import { formatDateTime } from '@/lib/dates';
import { routes } from '@/routing/routes';
import { cn } from '@/ui/cn';
import { StatusChip } from '@/ui/status-chip';
import { Tag } from '@/ui/tag';
import type { FormDelivery, FormVersion } from '../queries';

interface VersionListProps {
  delivery: FormDelivery;
  /** The version on the paper, and why it was issued if it replaces another. */
  shown: number | undefined;
  correctionReason: string | null;
}

/** Versions of one attempt together, newest attempt and version first. */
function byAttempt(forms: readonly FormVersion[]): [number, FormVersion[]][] {
  const attempts = new Map<number, FormVersion[]>();
  for (const form of forms.toSorted((one, other) => other.formVersion - one.formVersion)) {
    attempts.set(form.attempt, [...(attempts.get(form.attempt) ?? []), form]);
  }
  return [...attempts].toSorted(([one], [other]) => other - one);
}

export function VersionList({ delivery, shown, correctionReason }: VersionListProps) {
  const { t } = useTranslation('forms');
  const timeZone = useTimeZone();
  const attempts = byAttempt(delivery.forms);
  return (
    <section aria-labelledby="form-versions" className="p-4">
      <h3 id="form-versions" className="mb-2 text-base font-semibold">
        {t('versions.title')}
      </h3>
      {attempts.map(([attempt, forms]) => (
        <div key={attempt} className="mb-3">
          <h4 id={`attempt-${attempt}`} className="caps mb-1 text-muted">
            {t('versions.attempt', { attempt })}
          </h4>
          <ul aria-labelledby={`attempt-${attempt}`} className="flex flex-col gap-2">
            {forms.map((form) => {
              const isShown = form.formVersion === shown;
              return (
                <li key={form.formVersion}>
                  <Link
                    to={routes.viewForm({
                      deliveryId: delivery.id,
                      formVersion: form.formVersion,
                    })}
                    aria-current={isShown || undefined}
                    className={cn(
                      'flex flex-col gap-1 rounded-control border px-3 py-2 text-sm',
                      isShown
                        ? 'border-accent-line bg-accent-soft'
                        : 'border-line2 bg-surface hover:bg-raised',
                    )}
                  >
                    <span className="flex flex-wrap items-center justify-between gap-2 font-medium">
                      {t('version', { version: form.formVersion })}
                      {form.supersededBy !== null ? (
                        <Tag>{t('versions.superseded')}</Tag>
                      ) : (
                        isShown && <span className="text-accent">{t('versions.shown')}</span>
                      )}
                    </span>
                    <StatusChip kind="delivery" status={form.status} className="self-start" />
                    <span className="text-xs text-muted">
                      {t('versions.issued', {
                        at: formatDateTime(form.issuedAt, timeZone),
                        by: form.issuedBy,
                      })}
                    </span>
                    {isShown && correctionReason && (
                      <span className="text-xs wrap-anywhere">
                        {t('versions.corrected', { reason: correctionReason })}
                      </span>
                    )}
                  </Link>
                </li>
              );
            })}
          </ul>
        </div>
      ))}
      <p className="text-xs text-muted">{t('versions.hint')}</p>
    </section>
  );
}
