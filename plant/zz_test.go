package plant
import ("testing";"math";"rths")
type zref struct{ p Silva2020; m,c,k float64; z [5]float64 }
func (r *zref) rate(z [5]float64,u float64)[5]float64{
 p:=r.p; f:=z[2]; if p.ForceLimit>0 {f=min(max(f,-p.ForceLimit),p.ForceLimit)}
 return [5]float64{z[1], -p.Beta1*z[1]-p.Beta2*z[0]+p.Alpha1Beta*(p.Gain*u-z[3]), z[0]-p.Alpha2*z[4]-p.Alpha3*z[2], z[4], (f-r.c*z[4]-r.k*z[3])/r.m}
}
func (r *zref) step(u,h float64){
 ax:=func(z [5]float64,d [5]float64,h float64)[5]float64{ for i:=range z {z[i]+=h*d[i]}; return z}
 k1:=r.rate(r.z,u);k2:=r.rate(ax(r.z,k1,h/2),u);k3:=r.rate(ax(r.z,k2,h/2),u);k4:=r.rate(ax(r.z,k3,h),u)
 for i:=range r.z { r.z[i]+=h/6*(k1[i]+2*k2[i]+2*k3[i]+k4[i])}
}
func TestZZ(t *testing.T){
  p:=silvaCode; p.ForceLimit=8900
  s,_:=(&SilvaSpecimen{29.13,1190e3,0.0097}).Make()
  _,cc,_:=s.(Linear).Linear()
  for _,sub:=range []int{64,256}{
  for _,over:=range []int{1,2,4,8}{
  for _,amp:=range []float64{0.006,0.009,0.014} { for _,hz:=range []float64{1,3,6}{
  rate:=4096*float64(over)
  pl,_:=p.Make(At{rate,s})
  ref:=&zref{p:p,m:29.13,c:cc,k:1190e3}
  now:=rths.NewReading(1,1)
  now.V=make([]float64,1);now.A=make([]float64,1)
  d,dv,df,mx,da,ma:=0.0,0.,0.,0.,0.0,0.0
  for k:=range 4096*3 { tt:=float64(k)/4096; u:=amp*math.Sin(2*math.Pi*hz*tt)*math.Min(1,tt)
    for range over {pl.Step(&now,[]float64{u})}
    for range sub {ref.step(u,1./4096/float64(sub))}
    mx=max(mx,math.Abs(ref.z[3]));  d=max(d,math.Abs(now.X[0]-ref.z[3])); dv=max(dv,math.Abs(now.V[0]-ref.z[4])); df=max(df,math.Abs(now.F[0]-min(max(ref.z[2],-8900),8900)))
    da=max(da,math.Abs(now.A[0]*29.13+cc*now.V[0]+1190e3*now.X[0]-now.F[0])); ma=max(ma,math.Abs(now.A[0]))
    }
  t.Logf("sub %d over %d amp %g hz %g maxx %g dx %g dv %g df %g inconsist %g N maxA %g",sub,over,amp,hz,mx,d,dv,df,da,ma)
  }}}}
}
