import { TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { WRITE_ROLES } from '@/auth/roles';
import { useAuth } from '@/auth/use-auth';
import { errorText, normalizeError } from '@/data/errors';
import { Button } from '@/ui/button';
import { Note } from '@/ui/note';
import { toast } from '@/ui/toast';
import { type Delivery, resolveConflictMutation } from './delivery-queries';

/** The same on a row of the list. */
export function ConflictMark() {
  const { t } = useTranslation('deliveries');
  const title = t('conflict.title');
  return <TriangleAlert role="img" aria-label={title} data-tip={title} className="size-4 shrink-0 text-warn" />;
}

/** A driver told of it after the office had decided: somebody should compare the two. */
export function ConflictBar({ delivery }: { delivery: Delivery }) {
  const { t } = useTranslation('deliveries');
  const [, execute] = useMutation(resolveConflictMutation);
  const { hasRole } = useAuth();
  const [isBusy, setBusy] = useState(false);
  if (!delivery.conflict) return null;

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
    <Note tone="warn" title={t('conflict.title')} className="mb-4">
      <p>{t('conflict.text')}</p>
      {hasRole(WRITE_ROLES) && (
        <Button
          size={28}
          className="mt-2"
          aria-disabled={isBusy || undefined}
          onClick={() => void review()}
        >
          {t(isBusy ? 'conflict.busy' : 'conflict.review')}
        </Button>
      )}
    </Note>
  );
}
