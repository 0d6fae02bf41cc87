import { useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatCount } from '@/lib/numbers';
import { Button } from '@/ui/button';
import { Dialog, DialogContent } from '@/ui/dialog';
import { Field } from '@/ui/field';
import { Note } from '@/ui/note';
import { Textarea } from '@/ui/textarea';
import { toast } from '@/ui/toast';
import { type Chosen, type JobAction, useStartJob } from '../use-start-job';

interface JobDialogProps {
  action: JobAction;
  chosen: Chosen;
  onStarted?: () => void;
  onClose: () => void;
}

/** Says how many messages there are, then has them resent or discarded in the background. */
export function JobDialog({ action, chosen, onStarted, onClose }: JobDialogProps) {
  const { t } = useTranslation(['dead-letters', 'common']);
  const job = useStartJob(action, chosen);
  const [total, setTotal] = useState<number>();
  const [failure, setFailure] = useState<string>();
  const [reason, setReason] = useState('');
  const [isMissing, setMissing] = useState(false);
  const [isBusy, setBusy] = useState(false);

  const count = useEffectEvent(async () => {
    const answer = await job.count();
    if ('failed' in answer) setFailure(answer.failed);
    else setTotal(answer.total);
  });
  useEffect(() => {
    void count();
  }, []);

  async function start() {
    if (isBusy || !total) return;
    if (action === 'discard' && reason.trim() === '') {
      setMissing(true);
      return;
    }
    setBusy(true);
    setFailure(undefined);
    const answer = await job.start(reason);
    setBusy(false);
    if ('failed' in answer) {
      setFailure(answer.failed);
      return;
    }
    toast.success(t(`job.started.${action}`));
    onStarted?.();
    onClose();
  }

  const known = total !== undefined;
  return (
    <Dialog open onOpenChange={() => !isBusy && onClose()}>
      <DialogContent
        title={t(`job.title.${action}`)}
        description={
          known
            ? t(`job.text.${action}`, { count: total, shown: formatCount(total) })
            : t('job.counting')
        }
        width={560}
        staysOpen
        footer={
          <>
            <Button onClick={() => !isBusy && onClose()}>{t('cancel', { ns: 'common' })}</Button>
            <Button
              variant={action === 'discard' ? 'danger' : 'primary'}
              aria-disabled={!total || isBusy || undefined}
              onClick={() => void start()}
            >
              {known && total > 0
                ? t(`job.confirm.${action}`, { shown: formatCount(total) })
                : t(`job.verb.${action}`)}
            </Button>
          </>
        }
      >
        {failure !== undefined && (
          <Note tone="bad" role="alert" className="mb-3">
            {failure}
          </Note>
        )}
        {action === 'discard' && (
          <Field
            label={t('fields.reason')}
            hint={t('job.reasonHint')}
            error={isMissing ? t('job.reasonMissing') : undefined}
            required
          >
            <Textarea
              value={reason}
              maxLength={500}
              onChange={({ target }) => {
                setReason(target.value);
                setMissing(false);
              }}
            />
          </Field>
        )}
      </DialogContent>
    </Dialog>
  );
}
