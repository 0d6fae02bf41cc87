import { useState } from 'react';
import { useMutation } from 'urql';
import { normalizeError } from '@/data/errors';
import { Button } from '@/ui/button';
import { toast } from '@/ui/toast';
import { cancelUploadMutation, type UploadLog } from '../queries';

interface CancelUploadProps {
  log: Pick<UploadLog, 'id'>;
  label: string;
}

/** Ends a check or an undo early. The page learns of the end as it learns of any other. */
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
