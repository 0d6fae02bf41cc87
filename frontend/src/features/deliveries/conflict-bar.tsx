import { TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { WRITE_ROLES } from '@/auth/roles';
import { useAuth } from '@/auth/use-auth';
import { errorText, normalizeError } from '@/data/errors';
import { usePageKeys } from '@/list/list-shortcuts';
import { Button } from '@/ui/button';
import { Note } from '@/ui/note';
import { toast } from '@/ui/toast';
import { pageHeading, useFocusFallback } from '@/ui/use-focus-fallback';
import { type Delivery, resolveConflictMutation } from './delivery-queries';

/** Marks a conflict on a row of the list. */
export function ConflictMark() {
  const { t } = useTranslation('deliveries');
  const title = t('conflict.title');
  return <TriangleAlert role="img" aria-label={title} data-tip={title} className="size-4 shrink-0 text-warn" />;
}

/** Reports a late update from a driver, and asks the office to compare it with the recorded outcome. */
export function ConflictBar({ delivery }: { delivery: Delivery }) {
  const { t } = useTranslation('deliveries');
  const [, execute] = useMutation(resolveConflictMutation);
  const { hasRole } = useAuth();
  const [isBusy, setBusy] = useState(false);
  const mayReview = delivery.conflict && hasRole(WRITE_ROLES);
  const hasKeys = usePageKeys(mayReview ? { r: () => void review() } : {});
  const box = useFocusFallback<HTMLDivElement>(pageHeading);

  async function review() {
    if (isBusy) return;
    setBusy(true);
    const { id: deliveryId, version } = delivery;
    const { error } = await execute({ input: { deliveryId, version } });
    setBusy(false);
    if (error) toast.error(errorText(normalizeError(error)));
    else toast.success(t('conflict.done'));
  }

  return (
    <div ref={box} className="contents">
      {delivery.conflict && (
        <Note tone="warn" title={t('conflict.title')} className="mb-4">
          <p>{t('conflict.text')}</p>
          {mayReview && (
            <Button
              size={28}
              className="mt-2"
              {...(hasKeys && { 'aria-keyshortcuts': 'r', 'data-tip': t('conflict.review'), 'data-tip-keys': 'r' })}
              aria-disabled={isBusy || undefined}
              onClick={() => void review()}
            >
              {t(isBusy ? 'conflict.busy' : 'conflict.review')}
            </Button>
          )}
        </Note>
      )}
    </div>
  );
}
