import { useEffect, useState } from 'react';

/** An address to show a chosen file by, before it is sent anywhere; given back when it is not needed. */
export function useObjectUrl(file: File | null): string | undefined {
  const [shown, setShown] = useState<{ file: File; address: string }>();

  useEffect(() => {
    if (!file) return undefined;
    const address = URL.createObjectURL(file);
    setShown({ file, address });
    return () => URL.revokeObjectURL(address);
  }, [file]);

  return file !== null && shown?.file === file ? shown.address : undefined;
}
