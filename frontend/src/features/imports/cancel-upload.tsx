import { useState } from 'react';
import { useMutation } from 'urql';
import { normalizeError } from '@/data/errors';
import { Button } from '@/ui/button';
import { toast } from '@/ui/toast';
import { cancelUploadMutation, type UploadLog } from './queries';

interface CancelUploadProps {
  log: Pick<UploadLog, 'id'>;
  label: string;
}

/** Cancels a check or an undo. The page polls until the check or undo has ended. */
export function CancelUpload({ log, label }: CancelUploadProps) {
  const [, execute] = useMutation(cancelUploadMutation);
  const [asked, setAsked] = useState(false);

  async function cancel() {
    setAsked(true);
    const { error } = await execute({ input: { id: log.id } });
    if (!error) return;
    setAsked(false);
    toast.error(normalizeError(error).message);
  }

  return (
    <Button disabled={asked} onClick={() => void cancel()}>
      {label}
    </Button>
  );
}
