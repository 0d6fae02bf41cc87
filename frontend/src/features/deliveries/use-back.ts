import { useMemo } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { routes } from '@/routing/routes';

/** Back to the page of a delivery, which still knows the list it was opened from. */
export function useBack(deliveryId: string) {
  const navigate = useNavigate();
  const { state } = useLocation() as { state: unknown };
  return useMemo(() => {
    const to = routes.viewDelivery({ deliveryId });
    return { link: { to, state }, go: () => navigate(to, { state }) };
  }, [deliveryId, state, navigate]);
}

export type Back = ReturnType<typeof useBack>;
