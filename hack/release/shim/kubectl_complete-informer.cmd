@echo off
rem kubectl runs this to complete the words after "kubectl informer".
kubectl-informer.exe __complete %*
